import { describe, expect, test } from 'vitest'
import { crudBehaviour } from './behaviour/crud.suite.ts'
import { failingBehaviour } from './behaviour/failing.suite.ts'
import { snapshotBehaviour } from './behaviour/snapshot.suite.ts'
import { undoBehaviour } from './behaviour/undo.suite.ts'
import { watchBehaviour } from './behaviour/watch.suite.ts'
import { drifted, foreign, held, rules, startIn, type World } from './behaviour/world.ts'

/** Tests for the behaviour of `iptables()`, on a simulated node or a real kernel. */
export function behaviour(name: string, open: () => Promise<World>): void {
  const start = async () => startIn(await open())

  describe(name, () => {
    test('apply writes once, verify passes, and remove leaves foreign rules', async () => {
      await using s = await start()
      await s.tamper(foreign)
      const before = await held(s.ipt)
      expect(await s.ipt.apply(rules)).toMatchObject({ families: ['ipv4', 'ipv6'], backend: s.backend })
      await s.ipt.verify(rules)
      expect((await s.ipt.apply(rules)).plan).toBe('unchanged')
      await s.tamper(drifted)
      await expect(s.ipt.verify(rules)).rejects.toMatchObject({ code: 'DRIFT' })
      expect((await s.ipt.apply(rules)).plan).toBe('reconcile')
      await s.ipt.verify(rules)
      await s.ipt.remove(rules)
      const copies = ({ 'ipv4 nat OUTPUT': _, 'ipv6 nat OUTPUT': __, ...rest }: Record<string, unknown>) => rest
      expect(copies(await held(s.ipt))).toEqual(copies(before))
    })

    undoBehaviour(start)
    failingBehaviour(start)
    snapshotBehaviour(start)
    crudBehaviour(start)
    watchBehaviour(start)
  })
}
