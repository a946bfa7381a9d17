import { describe, expect, test } from 'vitest'
import { driftText } from '../../src/state/drift.ts'
import { diffSnapshots } from '../../src/state/snapshot.ts'

import { drifted, foreign, held, rules, type Start } from './world.ts'

/** Tests that take, compare and restore snapshots. */
export function snapshotBehaviour(start: Start): void {
  describe('a snapshot', () => {
    test('contains both families, compares by meaning, and changes nothing', async () => {
      await using s = await start()
      await s.tamper(foreign)
      const before = await s.ipt.snapshot()
      expect(before.backend).toBe(s.backend)
      expect(
        before.ipv6?.tables
          .get('nat')
          ?.get('OTHER')
          ?.rules.map(({ text }) => text),
      ).toEqual(['-p tcp -j RETURN'])
      expect(await s.ipt.diff(before)).toEqual({ missing: [], unexpected: [], changed: [], policies: [] })
      await s.tamper('*filter\n-A INPUT -j ACCEPT\n-P FORWARD ACCEPT\n-N NEW\nCOMMIT\n*nat\n-F OTHER\nCOMMIT\n')
      const diff = diffSnapshots(before, await s.ipt.snapshot({ families: ['ipv4'] }))
      expect(driftText(diff).split('\n').sort()).toEqual([
        'changed ipv4 filter: -P FORWARD ACCEPT (expected: DROP)',
        'missing ipv4 nat: -A OTHER -p tcp -j RETURN',
        'unexpected ipv4 filter: -A INPUT -j ACCEPT',
        'unexpected ipv4 filter: chain NEW',
      ])
      expect(diff.policies).toEqual([
        { family: 'ipv4', table: 'filter', chain: 'FORWARD', expected: 'DROP', actual: 'ACCEPT' },
      ])
    })

    test('ignores tables that it does not cover', async () => {
      await using s = await start()
      const before = await s.ipt.snapshot({ tables: ['filter'] })
      await s.tamper(foreign)
      const { unexpected, policies } = await s.ipt.diff(before)
      expect(unexpected.map(({ table }) => table)).toEqual(['filter', 'filter'])
      expect(policies).toHaveLength(2)
    })

    test('can be restored with its policies, and the restore can be undone', async () => {
      await using s = await start()
      await s.tamper(foreign)
      await s.ipt.apply(rules)
      const snapshot = await s.ipt.snapshot()
      const good = await held(s.ipt)
      await s.tamper(
        `${drifted}*filter\n-P FORWARD ACCEPT\n-F INPUT\n-N NEW\n-A INPUT -j NEW\nCOMMIT\n*raw\n-A OUTPUT -j ACCEPT\nCOMMIT\n`,
      )
      await s.tamper('*nat\n-F OUTPUT\n-F EX_OUT\n-X EX_OUT\nCOMMIT\n')
      const bad = await held(s.ipt)
      const { undo, families: written } = await s.ipt.restore(snapshot)
      expect(written).toEqual(['ipv4', 'ipv6'])
      expect(await held(s.ipt)).toEqual(good)
      expect((await s.ipt.restore(snapshot)).families).toEqual([])
      await undo()
      expect(await held(s.ipt)).toEqual(bad)
    })

    test('restores only the tables and families that it covers', async () => {
      await using s = await start()
      const snapshot = await s.ipt.snapshot({ families: ['ipv4'], tables: ['nat'] })
      await s.tamper(foreign)
      await s.ipt.restore(snapshot)
      const after = Object.keys(await held(s.ipt))
      expect(after.filter((key) => key.startsWith('ipv4'))).toEqual(['ipv4 filter INPUT', 'ipv4 filter FORWARD'])
      expect(after).toContain('ipv6 nat OTHER')
    })
  })
}
