import { describe, expect, test } from 'vitest'
import { iptables } from '../iptables.ts'
import { ruleset } from '../rules/ruleset.ts'
import { fakeKernel } from '../testing/fake-iptables.ts'

const rules = ruleset({ mangle: ['EX_MARK'], nat: ['EX_OUTPUT', 'EX_REDIRECT', 'EX_UNUSED'] }, (t) => [
  t.mangle.on('OUTPUT').jump('EX_MARK'),
  t.mangle.on('OUTPUT').out('eth9').return(),
  t.mangle.on('EX_MARK').setMark(1),
  t.nat.on('OUTPUT').proto('tcp').jump('EX_OUTPUT'),
  t.nat.on('EX_OUTPUT').uid(1337).jump('EX_REDIRECT'),
  t.nat.on('EX_REDIRECT').proto('tcp').redirect(15001),
])

const foreign =
  '*mangle\n:OTHER - [0:0]\n-A OUTPUT -j OTHER\n-A OUTPUT -o eth9 -j RETURN\nCOMMIT\n*nat\n-A OUTPUT -p udp -j RETURN\nCOMMIT\n'

/** Kernel with foreign rules before and after ours, and its content without ours. */
async function applied(
  options: Parameters<typeof fakeKernel>[0] = {},
  families: readonly ('ipv4' | 'ipv6')[] = ['ipv4'],
) {
  const kernel = fakeKernel(options)
  kernel.tamper(foreign)
  const before = kernel.dump()
  const ipt = iptables('host', { families, port: kernel.port })
  await ipt.apply(rules)
  const start = kernel.commands.length
  const programs = () => kernel.commands.slice(start).map(({ argv }) => argv[0])
  return { kernel, ipt, before, programs }
}

describe('remove', () => {
  test('starts one process per family and reads nothing if the rules are unchanged', async () => {
    const { ipt, kernel, before, programs } = await applied({}, ['ipv4', 'ipv6'])
    await ipt.remove(rules)
    expect(programs()).toEqual(['iptables-restore', 'ip6tables-restore'])
    expect(kernel.dump()).toBe(before)
    expect(kernel.dump('ipv6')).toBe('')
  })

  test('reads nothing if other programs added rules to own chains: they go with the chain', async () => {
    const { ipt, kernel, before, programs } = await applied()
    kernel.tamper(
      '*nat\n-I EX_OUTPUT 1 -p icmp -j RETURN\n-A EX_UNUSED -j ACCEPT\nCOMMIT\n'.replace('-A', '-N EX_UNUSED\n-A'),
    )
    await ipt.remove(rules)
    expect(programs()).toEqual(['iptables-restore'])
    expect(kernel.dump()).toBe(before)
  })

  test.for<[string, string]>([
    ['a jump that is gone', '*nat\n-D OUTPUT -p tcp -j EX_OUTPUT\nCOMMIT\n'],
    ['a jump that stands twice', '*nat\n-A OUTPUT -p tcp -j EX_OUTPUT\nCOMMIT\n'],
    ['a jump that is new', '*mangle\n-I OUTPUT 1 -p udp -j EX_MARK\nCOMMIT\n'],
    ['a chain that is gone', '*mangle\n-D OUTPUT -j EX_MARK\n-F EX_MARK\n-X EX_MARK\nCOMMIT\n'],
  ])('reads first after %s, with the same result', async ([, tampering]) => {
    const { ipt, kernel, before, programs } = await applied()
    kernel.tamper(tampering)
    await ipt.remove(rules)
    expect(programs()).toEqual(['iptables-restore', 'iptables-save', 'iptables-restore'])
    expect(kernel.dump()).toBe(before)
  })

  test('deletes a jump from a foreign chain and keeps the chain', async () => {
    const { ipt, kernel, before } = await applied()
    kernel.tamper('*mangle\n-A OTHER -p tcp -j EX_MARK\nCOMMIT\n')
    await ipt.remove(rules)
    expect(kernel.dump()).toBe(before)
  })

  test('does not read the first table after a refusal in the second: a foreign rule there equals an own one', async () => {
    const { ipt, kernel, before } = await applied()
    kernel.tamper('*nat\n-D OUTPUT -p tcp -j EX_OUTPUT\nCOMMIT\n')
    await ipt.remove(rules)
    expect(kernel.dump()).toBe(before)
    expect(before).toContain('-A OUTPUT -o eth9 -j RETURN')
  })

  test('reads and writes nothing the second time', async () => {
    const { kernel, ipt, programs } = await applied({}, ['ipv4', 'ipv6'])
    const alone = ruleset({ nat: ['EX_OUTPUT'] }, (t) => [
      t.nat.on('OUTPUT').proto('tcp').jump('EX_OUTPUT'),
      t.nat.on('EX_OUTPUT').return(),
    ])
    await ipt.remove(rules)
    const after = kernel.dump()
    await ipt.remove(alone)
    expect(programs().slice(2).sort()).toEqual([
      'ip6tables-restore',
      'ip6tables-save',
      'iptables-restore',
      'iptables-save',
    ])
    expect(kernel.dump()).toBe(after)
  })

  test('searches tables and families without rules of the ruleset for its chains, and creates none', async () => {
    const declared = ruleset({ mangle: ['EX_MARK'], nat: ['EX_OUTPUT'] }, (t) => [
      t.nat.on('OUTPUT').only('ipv4').jump('EX_OUTPUT'),
      t.nat.on('EX_OUTPUT').only('ipv4').return(),
    ])
    const kernel = fakeKernel()
    const ipt = iptables('host', { port: kernel.port })
    await ipt.apply(declared)
    await ipt.remove(declared)
    expect(kernel.commands.map(({ argv }) => argv[0])).toEqual([
      'iptables-restore',
      ...['iptables-restore', 'iptables-save', 'ip6tables-save'],
    ])
    await ipt.apply(declared)
    for (const family of ['ipv4', 'ipv6'] as const) kernel.tamper('*mangle\n-N EX_MARK\nCOMMIT\n', family)
    await ipt.remove(declared)
    expect(kernel.dump('ipv4') + kernel.dump('ipv6')).toBe('')
  })

  test('reports other errors', async () => {
    let broken = false
    const { ipt } = await applied({ fail: () => (broken ? 'Permission denied (you must be root)' : undefined) })
    broken = true
    await expect(ipt.remove(rules)).rejects.toMatchObject({ code: 'DENIED', message: expect.stringContaining('root') })
  })
})
