import { describe, expect, test } from 'vitest'
import { ruleBuilders } from '../../src/crud/rule-builders.ts'

import { drifted, foreign, held, rules, type Start } from './world.ts'

/** Tests for `undo` of all calls that change rules. */
export function undoBehaviour(start: Start): void {
  describe('undo restores exactly the previous rules', () => {
    test.for<
      [string, string | undefined, string, (s: Awaited<ReturnType<typeof start>>) => Promise<{ undo(): Promise<void> }>]
    >([
      ['a first apply', undefined, '', ({ ipt }) => ipt.apply(rules)],
      ['an apply over drift', 'applied', drifted, ({ ipt }) => ipt.apply(rules)],
      ['an apply that found nothing to do', 'applied', '', ({ ipt }) => ipt.apply(rules)],
      [
        'an apply over half of it',
        'applied',
        '*mangle\n-F OUTPUT\n-F EX_MARK\n-X EX_MARK\nCOMMIT\n',
        ({ ipt }) => ipt.apply(rules),
      ],
      ['a removal', 'applied', '', ({ ipt }) => ipt.remove(rules, { reversible: true })],
      ['a removal of drift', 'applied', drifted, ({ ipt }) => ipt.remove(rules, { reversible: true })],
      ['a removal of nothing', undefined, '', ({ ipt }) => ipt.remove(rules, { reversible: true })],
      ['removeChains', 'applied', '*nat\n-A OTHER -j EX_TO\nCOMMIT\n', ({ ipt }) => ipt.removeChains('EX_')],
      ['flushChain', undefined, '', ({ crud }) => crud.flushChain('nat', 'OUTPUT')],
      ['renameChain', 'applied', '', ({ crud }) => crud.renameChain('nat', 'EX_TO', 'EX_THERE')],
      [
        'deleteRule',
        undefined,
        '',
        ({ crud }) => crud.deleteRule(ruleBuilders({ nat: [] }).nat.on('OUTPUT').out('eth9').return()),
      ],
      [
        'insertRule',
        undefined,
        '',
        ({ crud }) => crud.insertRule(ruleBuilders({ nat: [] }).nat.insert('OUTPUT', 2).out('eth9').return()),
      ],
    ])('after %s', async ([, applied, tampering, act]) => {
      await using s = await start()
      await s.tamper(foreign)
      if (applied !== undefined) await s.ipt.apply(rules)
      if (tampering !== '') await s.tamper(tampering)
      const before = await held(s.ipt)
      const { undo } = await act(s)
      await undo()
      expect(await held(s.ipt)).toEqual(before)
      await undo()
      expect(await held(s.ipt)).toEqual(before)
    })

    test('and keeps rules that other programs have written since', async () => {
      await using s = await start()
      await s.tamper(foreign)
      const { undo } = await s.ipt.apply(rules)
      await s.tamper('*nat\n-I OUTPUT 2 -p icmp -j OTHER\n-A OTHER -j EX_TO\n-A OTHER -p udp -j RETURN\nCOMMIT\n')
      await undo()
      const after = await held(s.ipt)
      expect(after['ipv4 nat OTHER']).toEqual(['-', '-p tcp -j RETURN', '-j EX_TO', '-p udp -j RETURN'])
      expect(after['ipv6 nat OUTPUT']).toHaveLength(5)
      // The empty chain EX_TO stays, because another program's rule jumps to it.
      expect(Object.entries(after).filter(([chain]) => chain.includes('EX_'))).toEqual([
        ['ipv4 nat EX_TO', ['-']],
        ['ipv6 nat EX_TO', ['-']],
      ])
    })

    test('and keeps a chain that contains foreign rules by now', async () => {
      await using s = await start()
      const { undo } = await s.ipt.apply(rules)
      await s.tamper('*nat\n-I EX_TO -p icmp -j RETURN\nCOMMIT\n')
      await undo()
      const after = await held(s.ipt)
      expect(Object.entries(after).filter(([chain]) => chain.includes('EX_'))).toEqual([
        ['ipv4 nat EX_TO', ['-', '-p icmp -j RETURN']],
        ['ipv6 nat EX_TO', ['-', '-p icmp -j RETURN']],
      ])
    })

    test('for a context, registered before the write, last write first', async () => {
      await using s = await start()
      await s.tamper(foreign)
      const before = await held(s.ipt)
      await s.inHandler.apply(rules)
      await s.crudInHandler.createChain('filter', 'MORE')
      await s.inHandler.remove(rules)
      expect(s.undo).toHaveLength(3)
      for (const undo of s.undo.toReversed()) await undo()
      expect(await held(s.ipt)).toEqual(before)
    })
  })
}
