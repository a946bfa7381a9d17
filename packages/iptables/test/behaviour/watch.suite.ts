import { describe, expect, test } from 'vitest'
import { iptables } from '../../src/iptables.ts'
import type { IptablesPort } from '../../src/run/port.ts'
import type { WatchEvent } from '../../src/watch/watch.ts'

import { drifted, rules, type Start } from './world.ts'

/** Tests for the behaviour of `watch`. */
export function watchBehaviour(start: Start): void {
  describe('watch', () => {
    test('reports the state, drift and its repair, and ends with `break`', { timeout: 20_000 }, async () => {
      await using s = await start()
      await s.ipt.apply(rules)
      const seen: string[] = []
      for await (const event of s.ipt.watch(rules, { interval: 10 })) {
        seen.push(event.state)
        if (seen.length === 1) await s.tamper(drifted)
        else if (event.state === 'drift') await s.ipt.apply(rules)
        else break
      }
      expect(seen).toEqual(['clean', 'drift', 'clean'])
    })

    test('reports drift at every check while it lasts, so that a failed repair is tried again', async () => {
      await using s = await start()
      let looks = 0
      for await (const { state } of s.ipt.watch(rules, { interval: 10 })) {
        expect(state).toBe('drift')
        if (++looks === 3) break
      }
      expect(looks).toBe(3)
    })

    test('starts programs only after a change on nft, at each check on legacy, and never with netlink', {
      timeout: 20_000,
    }, async () => {
      await using s = await start()
      await s.ipt.apply(rules)
      let [processes, asked] = [0, 0]
      const controller = new AbortController()
      const count = () => {
        if (++asked > 5) controller.abort()
      }
      const port: IptablesPort = {
        ...s.port,
        run: (argv, options) => {
          processes++
          if (s.backend === 'iptables-legacy') count()
          return s.port.run(argv, options)
        },
        async generation() {
          const generation = await s.port.generation?.()
          if (generation === undefined) throw new Error('no generation')
          const current = () => {
            count()
            return generation.current()
          }
          return { ...generation, current }
        },
      }
      const seen: string[] = []
      const ipt = iptables(s.where, { ...s.world, port })
      for await (const { state } of ipt.watch(rules, { interval: 10, signal: controller.signal })) seen.push(state)
      expect(seen).toEqual(['clean'])
      expect(asked).toBeGreaterThan(5)
      if (s.backend === 'iptables-nft') expect(processes).toBe(s.programs === 'always' ? 2 : 0)
    })

    test('reports an error, continues, and ends on abort', { timeout: 20_000 }, async () => {
      await using s = await start()
      await s.ipt.apply(rules)
      let broken = true
      const port: IptablesPort = {
        ...s.port,
        run: (argv, options) => (broken ? Promise.reject(new Error('no process today')) : s.port.run(argv, options)),
        nfnetlink() {
          if (broken) throw new Error('no socket today')
          return s.port.nfnetlink?.()
        },
      }
      const controller = new AbortController()
      const seen: WatchEvent[] = []
      const ipt = iptables(s.where, { ...s.world, port })
      for await (const event of ipt.watch(rules, { interval: 10, signal: controller.signal })) {
        seen.push(event)
        broken = false
        if (event.state === 'clean') controller.abort()
      }
      expect(seen.map(({ state }) => state)).toEqual(['error', 'clean'])
    })
  })
}
