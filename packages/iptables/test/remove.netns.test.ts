import { type Netns, netns } from '@cni/netns'
import { tempNetns } from '@cni/netns/testing'
import { describe, expect, test } from 'vitest'
import { parseSave, saveText } from '../src/parse/saved-tables.ts'
import { type Family, families } from '../src/rules/model.ts'
import { ruleset } from '../src/rules/ruleset.ts'
import { inMode, modes, programOf } from './modes.ts'

const rules = ruleset(
  { mangle: ['EX_IN', 'EX_MARK'], nat: ['EX_OUTPUT', 'EX_REDIRECT', 'EX_UNUSED'], raw: ['EX_RAW'] },
  (t) => [
    t.mangle.insert('PREROUTING', 1).proto('tcp').jump('EX_IN'),
    t.mangle.on('PREROUTING').in('eth9').comment('not "ours" alone').return(),
    t.mangle.on('EX_IN').ctstate('ESTABLISHED', 'RELATED').jump('EX_MARK'),
    t.mangle.on('EX_MARK').setMark(0x539, 0xfff),
    t.nat.on('OUTPUT').proto('tcp').not.dports(53, 15008).jump('EX_OUTPUT'),
    t.nat.on('OUTPUT').not.dst({ ipv4: '127.0.0.1/8', ipv6: '::ffff:10.0.0.1/120' }).uid(0).return(),
    t.nat.on('EX_OUTPUT').uid('root').jump('EX_REDIRECT'),
    t.nat.on('EX_REDIRECT').proto('tcp').redirect(15001),
  ],
)

const foreign =
  '*mangle\n:OTHER - [0:0]\n-A PREROUTING -j OTHER\n-A PREROUTING -i eth9 -m comment --comment "not \\"ours\\" alone" -j RETURN\nCOMMIT\n' +
  '*nat\n:OTHER - [0:0]\n-A OUTPUT -p udp -j OTHER\nCOMMIT\n'

describe.each(modes)('on $mode, remove', (mode) => {
  const { backend, programs } = mode
  const program = (family: Family, what: 'restore' | 'save') => programOf(backend, family, what)
  const restore = (pod: Netns, input: string, family: Family) =>
    netns.exec(pod, [program(family, 'restore'), '--noflush'], { input })
  /** Programs that `remove` ran, by family, and the remaining rules. */
  async function removed(pod: Netns) {
    const ran: string[] = []
    const log = { debug: (message: string) => ran.push(message), warn: (message: string) => ran.push(message) }
    await inMode(mode, { netns: pod, log }).remove(rules)
    const left = await Promise.all(
      families.map(async (family) =>
        saveText(parseSave((await netns.exec(pod, [program(family, 'save')])).stdout, family)),
      ),
    )
    return { left, saves: ran.filter((line) => line.endsWith('-save')).length, runs: ran.length }
  }

  test('keeps foreign rules if own rules are unchanged, and reads only tables with own rules', async () => {
    await using pod = await tempNetns()
    for (const family of families) await restore(pod, foreign, family)
    const covered = { ...rules, chains: rules.chains.filter(({ table }) => table !== 'raw') }
    const ipt = inMode(mode, pod)
    const before = await Promise.all(families.map((family) => ipt.save(family)))
    await ipt.apply(covered)
    const { left, saves } = await removed(pod)
    // Programs make one save per family, for the chain in raw. Netlink makes none.
    expect(saves).toBe(programs === 'always' ? 2 : 0)
    expect(left).toEqual(families.map((family, i) => saveText(parseSave(before[i] ?? '', family))))
    expect(left[0]).toContain('OTHER')
  })

  test.runIf(programs === 'always')('without tables that only declare chains is one process per family', async () => {
    await using pod = await tempNetns()
    const covered = { ...rules, chains: rules.chains.filter(({ table }) => table !== 'raw') }
    await inMode(mode, pod).apply(covered)
    const ran: string[] = []
    const log = { debug: (message: string) => ran.push(message), warn: (message: string) => ran.push(message) }
    await inMode(mode, { netns: pod, log }).remove(covered)
    expect(ran.map((line) => line.split(' ')[0]).sort()).toEqual(
      families.map((family) => program(family, 'restore')).sort(),
    )
  })

  test.for<[string, string]>([
    ['a jump deleted', '*nat\n-D OUTPUT 2\nCOMMIT\n'],
    ['all rules deleted in the last table', '*nat\n-D OUTPUT 2\n-D OUTPUT 2\nCOMMIT\n'],
    ['a rule that jumps nowhere deleted in the first table', '*mangle\n-D PREROUTING 3\nCOMMIT\n'],
    ['a jump added', '*nat\n-I PREROUTING 1 -p tcp -j EX_REDIRECT\nCOMMIT\n'],
    ['a jump twice', '*mangle\n-A PREROUTING -p tcp -j EX_IN\nCOMMIT\n'],
    ['a foreign chain with a jump to an own one', '*mangle\n-A OTHER -p udp -g EX_MARK\nCOMMIT\n'],
    ['a chain flushed', '*nat\n-F EX_OUTPUT\nCOMMIT\n'],
    ['rules added to our chains', '*nat\n-I EX_OUTPUT 1 -p udp -j OTHER\n-A EX_REDIRECT -j RETURN\nCOMMIT\n'],
    ['half removed', '*mangle\n-D PREROUTING -p tcp -j EX_IN\n-F EX_IN\n-F EX_MARK\n-X EX_IN\n-X EX_MARK\nCOMMIT\n'],
    ['a chain of an older ruleset', '*raw\n:EX_RAW - [0:0]\n-A OUTPUT -p udp -j EX_RAW\nCOMMIT\n'],
    ['an unused chain in our table', '*nat\n:EX_UNUSED - [0:0]\n-A EX_UNUSED -j EX_REDIRECT\nCOMMIT\n'],
    ['everything flushed', '*mangle\n-F\n-X\nCOMMIT\n*nat\n-F\n-X\nCOMMIT\n'],
  ])('leaves no own rule and all foreign rules after %s', async ([, tampering]) => {
    await using pod = await tempNetns()
    for (const family of families) await restore(pod, foreign, family)
    await inMode(mode, pod).apply(rules)
    for (const family of families) await restore(pod, tampering, family)
    const { left } = await removed(pod)
    const flushed = tampering.includes('-F\n-X')
    for (const text of left) {
      expect(text).not.toMatch(/EX_|owner/)
      expect(text.match(/OTHER$/gm) ?? []).toHaveLength(flushed ? 0 : 2)
      // One of the own rule and the equal foreign rule remains.
      expect(text.match(/not \\"ours\\" alone/g) ?? []).toHaveLength(
        flushed || tampering.includes('PREROUTING 3') ? 0 : 1,
      )
    }
  })
})
