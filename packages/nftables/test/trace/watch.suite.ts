import type { NetnsTarget } from '@cni/netns'
import type { Nftables } from '@cni/nftables'
import { base, chain, nftRuleset } from '@cni/nftables/rules'
import { monitor, watch } from '@cni/nftables/watch'
import { Batch, type Nft } from '@cni/nftables/wire'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { addRuleset } from '../../src/encode/encode-table.ts'

/**
 * Test namespace without tables, for tests of `watch` and `monitor`. `listening` contains options with open sockets.
 */
export interface WatchWorld extends AsyncDisposable {
  readonly where: NetnsTarget
  readonly listening: NonNullable<Parameters<typeof watch>[2]>
  readonly tables: Nftables
  readonly nft: Nft
}

const rules = nftRuleset('inet', { ex: { out: base('filter', 'output', 0), sub: chain } }, (t) => [
  t.ex.on('out').udp('dport', [9, 10]).counter().jump('sub'),
  t.ex.on('sub').skuid(4711).drop(),
])
const ours = { family: 'inet', table: 'ex' } as const
const limit = () => AbortSignal.timeout(15_000)

/** Contract tests of the functions `watch` and `monitor`. */
export function watchBehaviour(open: () => Promise<WatchWorld>): void {
  let world: WatchWorld
  beforeEach(async () => {
    world = await open()
  })
  afterEach(() => world[Symbol.asyncDispose]())

  describe('watch', () => {
    test('reports drift when it happens and when it ends', async () => {
      const { where, listening, tables, nft } = world
      const events = watch(where, rules, { signal: limit(), ...listening })
      expect((await events.next()).value).toMatchObject({ state: 'drift', drift: { missing: [{ table: 'ex' }] } })
      const healed = events.next()
      await tables.apply(rules)
      expect((await healed).value).toEqual({ state: 'clean' })
      const broken = events.next()
      // The watcher of the table `ex` ignores changes of other tables.
      nft.commit(new Batch().addTable({ family: 'ip', table: 'other' }))
      nft.commit(new Batch().flush({ ...ours, chain: 'sub' }))
      expect((await broken).value).toMatchObject({
        state: 'drift',
        drift: { missing: [{ chain: 'sub', rule: 'meta skuid 4711 drop' }], unexpected: [], changed: [] },
      })
      await events.return()
    })

    test('ends when the signal is aborted while it waits', async () => {
      const { where, listening, tables } = world
      await tables.apply(rules)
      const stop = new AbortController()
      const events = watch(where, rules, { ...listening, signal: stop.signal })
      expect((await events.next()).value).toEqual({ state: 'clean' })
      const ended = events.next()
      stop.abort()
      expect(await ended).toEqual({ done: true, value: undefined })
    })
  })

  describe('monitor', () => {
    test("reports each transaction as one event, in nft's words", async () => {
      const { where, listening, nft } = world
      const events = monitor(where, { signal: limit(), ...listening })
      const first = events.next()
      nft.commit(addRuleset(new Batch(), rules))
      const [one, two] = nft.rules(ours).map(({ handle }) => handle)
      expect((await first).value).toMatchObject({
        lost: false,
        changes: [
          'add table inet ex',
          'add chain inet ex out { type filter hook output priority filter; policy accept; }',
          'add chain inet ex sub',
          `add rule inet ex out udp dport { 9, 10 } counter packets 0 bytes 0 jump sub # handle ${one}`,
          `add rule inet ex sub meta skuid 4711 drop # handle ${two}`,
        ],
      })
      const second = events.next()
      nft.commit(new Batch().deleteRule({ ...ours, chain: 'sub', handle: two ?? 0n }))
      expect((await second).value).toMatchObject({
        changes: [`delete rule inet ex sub meta skuid 4711 drop # handle ${two}`],
      })
      await events.return()
    })
  })
}
