import { toErrorDocument } from '@cni/types'
import { describe, expect, test } from 'vitest'
import { IptablesError, isIptablesError } from '../errors.ts'
import { iptables } from '../iptables.ts'
import type { Rule } from '../rules/model.ts'
import { ruleset } from '../rules/ruleset.ts'
import { type FakeKernel, fakeKernel } from '../testing/fake-iptables.ts'
import type { IptablesOptions } from '../work.ts'

const rules = ruleset({ mangle: ['EX_MARK'], nat: ['EX_OUTPUT', 'EX_REDIRECT'] }, (t) => [
  t.mangle.on('OUTPUT').jump('EX_MARK'),
  t.mangle.on('EX_MARK').setMark(1),
  t.nat.on('OUTPUT').proto('tcp').jump('EX_OUTPUT'),
  t.nat.on('OUTPUT').out('eth9').return(),
  t.nat.on('EX_OUTPUT').uid(1337).return(),
  t.nat.on('EX_OUTPUT').not.dst({ ipv4: '127.0.0.1', ipv6: '::1' }).jump('EX_REDIRECT'),
  t.nat.on('EX_REDIRECT').proto('tcp').redirect(15001),
])

const setup = (kernelOptions: Parameters<typeof fakeKernel>[0] = {}, options: IptablesOptions = {}) => {
  const kernel = fakeKernel(kernelOptions)
  const programs = () => kernel.commands.map(({ argv }) => argv[0])
  return { kernel, programs, ipt: iptables('host', { ...options, port: kernel.port }) }
}

const isRestore = ({ argv }: FakeKernel['commands'][number], family = 'ip') => argv[0] === `${family}tables-restore`

describe('apply', () => {
  test('writes an empty namespace with one restore per family and reads nothing', async () => {
    const { ipt, programs, kernel } = setup()
    const report = await ipt.apply(rules)
    expect(report).toMatchObject({ plan: 'fresh', families: ['ipv4', 'ipv6'], backend: 'iptables-nft' })
    expect(programs()).toEqual(['iptables-restore', 'ip6tables-restore'])
    expect(kernel.commands[0]?.argv).toEqual(['iptables-restore', '--noflush'])
    expect(kernel.dump('ipv6')).toContain('-A EX_OUTPUT ! -d ::1 -j EX_REDIRECT')
  })

  test('reads and writes nothing the second time', async () => {
    const { ipt, kernel } = setup()
    await ipt.apply(rules)
    const before = kernel.dump()
    expect((await ipt.apply(rules)).plan).toBe('unchanged')
    expect(kernel.dump()).toBe(before)
    expect(kernel.commands.slice(4).map(({ argv }) => argv[0])).toEqual(['iptables-save', 'ip6tables-save'])
  })

  test.for<[string, string]>([
    ['a rule deleted from an own chain', '*nat\n-D EX_OUTPUT -m owner --uid-owner 1337 -j RETURN\nCOMMIT\n'],
    ['a rule added to an own chain', '*nat\n-I EX_OUTPUT 1 -j ACCEPT\nCOMMIT\n'],
    ['an own chain flushed', '*nat\n-F EX_OUTPUT\nCOMMIT\n'],
    ['an own jump deleted', '*nat\n-D OUTPUT -p tcp -j EX_OUTPUT\nCOMMIT\n'],
    ['an own jump twice', '*nat\n-A OUTPUT -p tcp -j EX_OUTPUT\nCOMMIT\n'],
    ['an unknown jump to an own chain', '*nat\n-I OUTPUT 1 -p udp -j EX_REDIRECT\nCOMMIT\n'],
    ['own rules in the wrong order', '*nat\n-D OUTPUT -p tcp -j EX_OUTPUT\n-A OUTPUT -p tcp -j EX_OUTPUT\nCOMMIT\n'],
  ])('%s: corrects that family with one read and one write, and verify then passes', async ([, tampering]) => {
    const { ipt, kernel } = setup()
    await ipt.apply(rules)
    kernel.tamper(tampering)
    await expect(ipt.verify(rules)).rejects.toMatchObject({ name: 'DriftError', code: 'DRIFT' })
    const before = kernel.commands.length
    expect((await ipt.apply(rules)).plan).toBe('reconcile')
    const written = kernel.commands
      .slice(before + 2)
      .filter((command) => isRestore(command) || isRestore(command, 'ip6'))
    expect(written.map(({ argv }) => argv[0])).toEqual(['iptables-restore'])
    await ipt.verify(rules)
  })

  test('completes a table that a killed apply left out: the fresh plan writes it, the read finds no difference', async () => {
    const { ipt, kernel, programs } = setup({}, { families: ['ipv4'] })
    await ipt.apply(rules)
    kernel.tamper('*mangle\n-F OUTPUT\n-F EX_MARK\n-X EX_MARK\nCOMMIT\n')
    expect((await ipt.apply(rules)).plan).toBe('reconcile')
    expect(programs().slice(1)).toEqual(['iptables-restore', 'iptables-save'])
    await ipt.verify(rules)
  })

  test('keeps rules of other programs in their places', async () => {
    const { ipt, kernel } = setup()
    kernel.tamper('*nat\n-N OTHER\n-A OUTPUT -p udp -j OTHER\n-A OTHER -j RETURN\nCOMMIT\n')
    await ipt.apply(rules)
    kernel.tamper('*nat\n-I OUTPUT 1 -p sctp -j OTHER\n-D OUTPUT -p tcp -j EX_OUTPUT\nCOMMIT\n')
    await ipt.apply(rules)
    expect(kernel.dump()).toContain(
      '-A OUTPUT -p sctp -j OTHER\n-A OUTPUT -p udp -j OTHER\n-A OUTPUT -p tcp -j EX_OUTPUT\n-A OUTPUT -o eth9 -j RETURN\n',
    )
  })

  test('removes chains of an older ruleset that declares them too', async () => {
    const { ipt, kernel } = setup()
    await ipt.apply(rules)
    const newer = ruleset({ mangle: ['EX_MARK'], nat: ['EX_OUTPUT', 'EX_REDIRECT'] }, (t) => [
      t.nat.on('OUTPUT').jump('EX_OUTPUT'),
      t.nat.on('EX_OUTPUT').return(),
    ])
    expect((await ipt.apply(newer)).plan).toBe('reconcile')
    expect(kernel.dump()).toBe(
      '*nat\n:EX_OUTPUT - [0:0]\n-A OUTPUT -o eth9 -j RETURN\n-A OUTPUT -j EX_OUTPUT\n-A EX_OUTPUT -j RETURN\nCOMMIT\n',
    )
  })

  test('reads a table without own chains first, so that it never writes a rule twice', async () => {
    const { ipt, programs } = setup({}, { families: ['ipv4'] })
    const direct = ruleset({ filter: [], nat: ['A'] }, (t) => [
      t.filter.on('INPUT').in('eth9').drop(),
      t.nat.on('A').return(),
    ])
    expect((await ipt.apply(direct)).plan).toBe('fresh')
    expect(programs()).toEqual(['iptables-save', 'iptables-restore'])
    expect((await ipt.apply(direct)).plan).toBe('unchanged')
  })

  test('prints the text of a first apply with the given printer', async () => {
    const print = () => '* nat\n-N A\n-A A  -j RETURN\nCOMMIT\n'
    const { ipt, kernel } = setup({}, { families: ['ipv4'], print })
    const own = ruleset({ nat: ['A'] }, (t) => [t.nat.on('A').return()])
    expect((await ipt.apply(own)).plan).toBe('fresh')
    expect(kernel.commands[0]?.input).toBe(print())
    expect((await ipt.apply(own)).plan).toBe('unchanged')
  })

  test('omits IPv6 if the namespace lacks it', async () => {
    const { ipt, programs } = setup({ ipv6: false })
    expect((await ipt.apply(rules)).families).toEqual(['ipv4'])
    expect(programs()).toEqual(['iptables-restore'])
  })
})

describe('a failing apply', () => {
  test('in the second table rolls back the first, in both families', async () => {
    const { ipt, kernel } = setup()
    kernel.tamper('*nat\n-N OTHER\nCOMMIT\n', 'ipv6')
    const broken = { ...rules, rules: rules.rules.map((rule) => breakIn(rule, 'EX_REDIRECT')) }
    await expect(ipt.apply(broken)).rejects.toMatchObject({ code: 'EXIT' })
    expect(kernel.dump('ipv4')).toBe('')
    expect(kernel.dump('ipv6')).toBe('*nat\n:OTHER - [0:0]\nCOMMIT\n')
  })

  test('in one family rolls back the other', async () => {
    const { ipt, kernel } = setup({ fail: (each) => (isRestore(each, 'ip6') ? 'line 3 failed: no' : undefined) })
    const error = await ipt.apply(rules).catch((each: unknown) => each)
    expect(isIptablesError(error) && error.message).toBe(
      'ip6tables-restore --noflush failed with exit code 1 at line 3 ("-A OUTPUT -j EX_MARK"): line 3 failed: no',
    )
    expect(kernel.dump('ipv4')).toBe('')
  })

  test('during a correction restores the previous state, including its drift', async () => {
    let failing = false
    const fail = (each: FakeKernel['commands'][number]) =>
      failing && isRestore(each, 'ip6') && each.input?.includes(':EX') ? 'line 2 failed: no' : undefined
    const { ipt, kernel } = setup({ fail })
    await ipt.apply(rules)
    for (const family of ['ipv4', 'ipv6'] as const) kernel.tamper('*nat\n-I EX_OUTPUT 1 -j ACCEPT\nCOMMIT\n', family)
    const before = [kernel.dump('ipv4'), kernel.dump('ipv6')]
    failing = true
    await expect(ipt.apply(rules)).rejects.toMatchObject({ code: 'EXIT' })
    expect([kernel.dump('ipv4'), kernel.dump('ipv6')]).toEqual(before)
  })

  test('reports a failed rollback in the error', async () => {
    let restores = 0
    const fail = (each: FakeKernel['commands'][number]) =>
      isRestore(each, 'ip6') || (isRestore(each) && restores++ > 0) ? 'line 1 failed: no' : undefined
    const { ipt } = setup({ fail })
    await expect(ipt.apply(rules)).rejects.toThrow(/; the rollback failed too: iptables-restore/)
  })

  test('without the program names the package and starts nothing else', async () => {
    const { ipt, kernel } = setup({ without: ['ip6tables-restore'] })
    await expect(ipt.apply(rules)).rejects.toThrow(/ip6tables-restore is not installed.*package iptables/)
    expect(kernel.dump('ipv4')).toBe('')
  })
})

describe('a context', () => {
  test('gets the undo step before the first write', async () => {
    const kernel = fakeKernel()
    const undo: (() => unknown)[] = []
    const seen: number[] = []
    const fail = () => {
      seen.push(undo.length)
      return undefined
    }
    const { port } = fakeKernel({ fail })
    await iptables({ netns: 'host', undo: (fn) => undo.push(fn) }, { port }).apply(rules)
    expect(seen).toEqual([1, 1])
    await iptables({ netns: 'host', undo: (fn) => undo.push(fn) }, { port: kernel.port }).apply(rules)
    await undo[1]?.()
    expect([kernel.dump('ipv4'), kernel.dump('ipv6')]).toEqual(['', ''])
  })

  test('gets an undo step that leaves an unchanged ruleset in place', async () => {
    const { port, dump } = fakeKernel()
    await iptables('host', { port }).apply(rules)
    const undo: (() => unknown)[] = []
    await iptables({ netns: 'host', undo: (fn) => undo.push(fn) }, { port }).apply(rules)
    const before = dump()
    await undo[0]?.()
    expect(dump()).toBe(before)
  })

  test('without a namespace is refused: the node is never the default', () => {
    expect(() => iptables({ netns: undefined })).toThrow(expect.objectContaining({ code: 'MISSING' }))
  })

  test('starts nothing if it is already aborted', async () => {
    const { port, commands } = fakeKernel()
    const ipt = iptables({ netns: 'host', signal: AbortSignal.abort() }, { port })
    await expect(ipt.apply(rules)).rejects.toMatchObject({ code: 'ABORTED' })
    expect(commands).toEqual([])
  })

  test('rolls back the writes if it is aborted meanwhile', async () => {
    const controller = new AbortController()
    const kernel = fakeKernel({ fail: () => void controller.abort() })
    const ipt = iptables({ netns: 'host', signal: controller.signal }, { port: kernel.port })
    await expect(ipt.apply(rules)).rejects.toMatchObject({ code: 'ABORTED' })
    expect([kernel.dump('ipv4'), kernel.dump('ipv6')]).toEqual(['', ''])
  })
})

describe('verify and diff', () => {
  test('name the differences by family, table and chain', async () => {
    const { ipt, kernel } = setup()
    await ipt.apply(rules)
    kernel.tamper('*nat\n:EX_OUTPUT - [0:0]\n-A EX_OUTPUT -j ACCEPT\n-D OUTPUT -p tcp -j EX_OUTPUT\nCOMMIT\n')
    kernel.tamper(
      '*nat\n-A OUTPUT -j EX_REDIRECT\nCOMMIT\n*mangle\n-F OUTPUT\n-F EX_MARK\n-X EX_MARK\nCOMMIT\n',
      'ipv6',
    )
    const error: unknown = await ipt.verify(rules).catch((each: unknown) => each)
    expect(error).toBeInstanceOf(IptablesError)
    expect(Reflect.get(error as object, Symbol.for('cni.error'))).toEqual({
      code: 100,
      details: `missing ipv4 nat: -A EX_OUTPUT ! -d 127.0.0.1 -j EX_REDIRECT
missing ipv4 nat: -A OUTPUT -p tcp -j EX_OUTPUT
missing ipv6 mangle: chain EX_MARK
missing ipv6 mangle: -A OUTPUT -j EX_MARK
unexpected ipv6 nat: -A OUTPUT -j EX_REDIRECT
changed ipv4 nat: -A EX_OUTPUT -j ACCEPT (expected: -m owner --uid-owner 1337 -j RETURN)`,
    })
    expect(error).toMatchObject({
      message:
        'iptables rules differ from the ruleset in ipv4 nat EX_OUTPUT and 4 more chains: 4 missing, 1 unexpected, 1 changed',
    })
  })

  test('the message and the details of a drift, printed one after the other, repeat nothing', async () => {
    const { ipt, kernel } = setup({}, { families: ['ipv4'] })
    await ipt.apply(rules)
    kernel.tamper('*nat\n-F EX_REDIRECT\nCOMMIT\n')
    const { msg, details } = toErrorDocument(await ipt.verify(rules).catch((each: unknown) => each))
    expect(`${msg}; ${details}`).toBe(
      'iptables rules differ from the ruleset in ipv4 nat EX_REDIRECT: 1 missing; ' +
        'missing ipv4 nat: -A EX_REDIRECT -p tcp -j REDIRECT --to-ports 15001',
    )
  })

  test('read once per family', async () => {
    const { ipt, programs } = setup()
    await ipt.diff(rules)
    expect(programs()).toEqual(['iptables-save', 'ip6tables-save'])
  })

  test('report own rules in the other back end', async () => {
    const { ipt, kernel } = setup({}, { backend: 'iptables-nft' })
    await ipt.apply(rules)
    kernel.tamper('*nat\n-N EX_OUTPUT\n-A OUTPUT -p tcp -j EX_OUTPUT\nCOMMIT\n', 'ipv4', 'iptables-legacy')
    const { unexpected } = await iptables('host', { port: kernel.port, backend: 'iptables-nft' }).diff(rules)
    expect(unexpected).toEqual([
      { family: 'ipv4', table: 'nat', chain: 'EX_OUTPUT', backend: 'iptables-legacy' },
      { family: 'ipv4', table: 'nat', chain: 'OUTPUT', rule: '-p tcp -j EX_OUTPUT', backend: 'iptables-legacy' },
    ])
  })
})

describe('remove', () => {
  test('removes own chains, jumps and rules, keeps foreign ones, and can be repeated', async () => {
    const { ipt, kernel } = setup()
    kernel.tamper('*nat\n-N OTHER\n-A OUTPUT -j OTHER\n-A OUTPUT -o eth9 -j RETURN\nCOMMIT\n')
    const before = kernel.dump()
    await ipt.apply(rules)
    kernel.tamper('*nat\n-A OTHER -j EX_REDIRECT\nCOMMIT\n')
    await ipt.remove(rules)
    // The foreign copy of `-o eth9 -j RETURN` equals ours, so one of the two is removed and one stays.
    expect(kernel.dump()).toBe(before)
    await ipt.remove(rules)
    expect(kernel.dump('ipv6')).toBe('')
  })

  test('removeChains removes all chains with a prefix in all tables, and the jumps to them', async () => {
    const { ipt, kernel } = setup()
    kernel.tamper('*filter\n-N OTHER\n-N EX_OLD\n-A INPUT -j OTHER\n-A OTHER -g EX_OLD\n-A INPUT -j EX_OLD\nCOMMIT\n')
    await ipt.apply(rules)
    const before = kernel.commands.length
    await ipt.removeChains('EX_')
    expect(kernel.dump()).toBe(
      '*filter\n:OTHER - [0:0]\n-A INPUT -j OTHER\nCOMMIT\n*nat\n-A OUTPUT -o eth9 -j RETURN\nCOMMIT\n',
    )
    expect(kernel.commands.slice(before).filter(({ input }) => input !== undefined)).toHaveLength(2)
    await ipt.removeChains('EX_')
  })

  test.for(['', ' ', '-', 'A B', 'a*'])('removeChains(%j) is refused as an invalid prefix', async (prefix) => {
    await expect(setup().ipt.removeChains(prefix)).rejects.toMatchObject({ code: 'INVALID_RULE' })
  })

  test('searches both back ends if both may hold rules', async () => {
    const { kernel } = setup()
    for (const backend of ['iptables-nft', 'iptables-legacy'] as const)
      await iptables('host', { port: kernel.port, backend }).apply(rules)
    await iptables('host', { port: kernel.port }).removeChains('EX_')
    expect(kernel.dump('ipv4', 'iptables-legacy') + kernel.dump('ipv4', 'iptables-nft')).not.toContain('EX_')
  })
})

describe('the back end', () => {
  const foreign = '*filter\n-A INPUT -p udp -j ACCEPT\nCOMMIT\n'

  test('follows the node’s iptables-restore, found without starting a process', async () => {
    for (const backend of ['iptables-nft', 'iptables-legacy'] as const) {
      const { ipt, programs } = setup({ backend })
      expect(await ipt.backend()).toBe(backend)
      expect(programs()).toEqual([])
    }
  })

  test('is legacy if the legacy back end holds rules', async () => {
    const { ipt, kernel, programs } = setup()
    kernel.tamper(foreign, 'ipv4', 'iptables-legacy')
    expect((await ipt.apply(rules)).backend).toBe('iptables-legacy')
    expect(programs()).toContain('ip6tables-legacy-restore')
    expect(kernel.commands.find(({ input }) => input !== undefined)?.argv).toContain('--wait=30')
  })

  test('is not legacy if a legacy program has only read the tables', async () => {
    const { ipt, kernel } = setup()
    kernel.tamper('*filter\nCOMMIT\n', 'ipv4', 'iptables-legacy')
    expect(await ipt.backend()).toBe('iptables-nft')
  })

  test('uses the programs with the given back end in their names', async () => {
    const { ipt, programs } = setup({}, { backend: 'iptables-legacy', families: ['ipv4'] })
    await ipt.apply(rules)
    expect(programs()).toEqual(['iptables-legacy-restore'])
  })

  test('removes the rules in the previous back end after a change', async () => {
    const { kernel } = setup()
    await iptables('host', { port: kernel.port, backend: 'iptables-legacy' }).apply(rules)
    await iptables('host', { port: kernel.port, backend: 'iptables-nft' }).apply(rules)
    expect(kernel.dump('ipv4', 'iptables-legacy')).toBe('')
    await iptables('host', { port: kernel.port, backend: 'iptables-nft' }).verify(rules)
  })

  test('without its programs is an error that names the package', async () => {
    const { ipt } = setup({ without: ['iptables-restore', 'iptables-nft-restore', 'iptables-legacy-restore'] })
    await expect(ipt.apply(rules)).rejects.toMatchObject({ code: 'NO_BINARY' })
  })

  test('asks a wrapper script for its version', async () => {
    const { kernel } = setup()
    const port = { ...kernel.port, resolve: () => '/usr/sbin/iptables-wrapper' }
    expect(await iptables('host', { port }).backend()).toBe('iptables-nft')
    expect(kernel.commands[0]?.argv).toEqual(['iptables-restore', '--version'])
  })
})

/** Makes the rules of one chain jump to a chain that does not exist. */
function breakIn(rule: Rule, chain: string): Rule {
  return rule.chain === chain ? { ...rule, target: { target: 'raw', name: 'NO_CHAIN', tokens: [] } } : rule
}
