import { be16 } from '@cni/netns/netlink'
import {
  addElements,
  addSet,
  Batch,
  type Commit,
  changesOf,
  commits,
  type Expression,
  elementsOf,
  type Nft,
  restore,
  setsOf,
  snapshot,
} from '@cni/nftables/wire'
import { describe, expect, test } from 'vitest'
import { accept, begun, chain, comments, counter, ex, jump, rejected, rule, thrown, type World } from './world.ts'

const tamper = (nft: Nft) => nft.commit(begun().addRule({ ...rule('theirs'), place: 'first' }))

/** Contract tests of `@cni/nftables/wire` with concurrent changes of other programs. */
export function othersBehaviour(open: () => Promise<World>): void {
  describe('when other programs change the rules', () => {
    test('a batch of an earlier generation is refused', async () => {
      await using world = await open()
      using other = world.other()
      const generation = world.nft.generation()
      tamper(other)
      const stale = new Batch({ generation }).deleteTable(ex)
      expect(thrown(() => world.nft.commit(stale)).code).toBe('STALE')
      expect(comments(world.nft)).toEqual(['theirs'])
      world.nft.commit(new Batch({ generation: world.nft.generation() }).deleteTable(ex))
    })

    test('a transaction reads again after each change', async () => {
      await using world = await open()
      using other = world.other()
      world.nft.commit(begun().addRule(rule('ours')))
      let calls = 0
      const found = await world.nft.transact((batch) => {
        const rules = world.nft.rules(chain)
        if (++calls <= 3) tamper(other)
        for (const each of rules) batch.deleteRule(each)
        return rules.length
      })
      expect([calls, found]).toEqual([4, 4])
      expect(comments(world.nft)).toEqual([])
    })

    test('a transaction ends with CHANGED after its time, or when the signal is aborted', async () => {
      await using world = await open()
      using other = world.other()
      let calls = 0
      const controller = new AbortController()
      const plan = (batch: Batch) => {
        if (++calls === 4) controller.abort()
        tamper(other)
        batch.deleteTable(ex)
      }
      const error = await rejected(world.nft.transact(plan, { signal: controller.signal }))
      expect([error.code, calls]).toEqual(['CHANGED', 4])
      expect(error.cause).toMatchObject({ code: 'STALE' })
      expect(error).toMatchObject({ [Symbol.for('cni.error')]: { code: 11 } })
      expect(comments(world.nft)).toHaveLength(4)
      await expect(world.nft.transact(plan, { timeoutMs: 0 })).rejects.toMatchObject({ code: 'CHANGED' })
      expect(calls).toBe(5)
    })

    test('a transaction without changes does not commit', async () => {
      await using world = await open()
      using other = world.other()
      const before = world.nft.generation()
      await world.nft.transact(() => tamper(other))
      expect(world.nft.generation()).toBe(before + 1)
    })

    test('a refused transaction is not retried', async () => {
      await using world = await open()
      let calls = 0
      const error = await rejected(
        world.nft.transact((batch) => {
          calls++
          batch.deleteTable(ex)
        }),
      )
      expect([error.code, calls]).toEqual(['REFUSED', 1])
    })

    test('read returns a consistent state, or rejects with CHANGED', async () => {
      await using world = await open()
      using other = world.other()
      let calls = 0
      const [chains, rules] = await world.nft.read(() => {
        const before = world.nft.chains().length
        if (++calls < 3) tamper(other)
        return [before, world.nft.rules().length]
      })
      expect([calls, chains, rules]).toEqual([3, 1, 2])
      const never = world.nft.read(() => tamper(other), { timeoutMs: 0 })
      await expect(never).rejects.toMatchObject({ code: 'CHANGED' })
    })
  })

  describe('with echo', () => {
    test('a commit returns its changes, with handles', async () => {
      await using world = await open()
      const ports = { ...ex, set: 'ports', keyType: 13, keyLength: 2 } as const
      const batch = (add: Batch) =>
        addElements(addSet(add.addTable(ex).addChain(chain).addRule(rule('ours')), ports), ports, [{ key: be16(80) }])
      const made = changesOf(world.nft.commit(batch(new Batch({ echo: true }))))
      const [{ handle } = fail()] = world.nft.rules(chain)
      expect(made).toEqual([
        { action: 'add', kind: 'table', table: expect.objectContaining(ex) },
        { action: 'add', kind: 'chain', chain: expect.objectContaining(chain) },
        { action: 'add', kind: 'rule', rule: expect.objectContaining({ ...chain, handle }) },
        { action: 'add', kind: 'set', set: expect.objectContaining({ ...ex, set: 'ports' }) },
        {
          action: 'add',
          kind: 'element',
          set: expect.objectContaining({ set: 'ports' }),
          elements: [{ key: Buffer.from(be16(80)) }],
        },
      ])
      expect(changesOf(world.nft.commit(new Batch().addRule(rule('unheard'))))).toEqual([])
      // Ignores sets, because only newer kernels report a set that existed before the batch.
      const again = changesOf(world.nft.commit(batch(new Batch({ echo: true })))).map(({ kind }) => kind)
      expect(again.filter((kind) => kind !== 'set')).toEqual(['chain', 'rule'])
      const deleted = changesOf(world.nft.commit(new Batch({ echo: true }).deleteRule({ ...chain, handle })))
      expect(deleted).toMatchObject([{ action: 'delete', kind: 'rule', rule: { ...chain, handle } }])
    })

    test('a refused batch returns no changes, a batch of thousands of rules returns all', async () => {
      await using world = await open()
      const refused = new Batch({ echo: true }).addTable(ex).deleteTable({ ...ex, table: 'nowhere' })
      expect(thrown(() => world.nft.commit(refused)).code).toBe('REFUSED')
      const many = new Batch({ echo: true }).addTable(ex).addChain(chain)
      for (let at = 0; at < 3000; at++) many.addRule(rule(`${at}`))
      expect(changesOf(world.nft.commit(many))).toHaveLength(3002)
    })
  })

  describe('a snapshot', () => {
    test('restores everything as it was', async () => {
      await using world = await open()
      const { nft } = world
      const load = { name: 'payload', dreg: 1, base: 'transport', offset: 2, len: 2 } as const
      const map = { ...ex, set: 'm', keyType: 13, keyLength: 2, flags: ['map'] as const }
      const set = { ...ex, set: '__set%d', keyType: 13, keyLength: 2, flags: ['anonymous', 'constant'] as const }
      const other = { family: 'ip', table: 'nat', chain: 'OUTPUT' } as const
      const batch = begun().addChain({
        ...ex,
        chain: 'out',
        base: { type: 'filter', hook: 'output', priority: -5 },
        policy: 'drop',
      })
      addSet(batch, { ...map, dataType: 'verdict', dataLength: 16, comment: 'where to' })
      addElements(batch, map, [{ key: be16(80), data: { verdict: 'jump', chain: 'c' }, comment: 'http' }])
      batch.addRule({ ...chain, chain: 'out', expressions: [load, { name: 'lookup', set: 'm', sreg: 1, dreg: 0 }] })
      // Adds anonymous sets in another order than the rules that use the sets.
      for (const setId of [1, 2])
        addElements(addSet(batch, { ...set, setId }), { ...set, setId }, [{ key: be16(setId) }])
      for (const setId of [2, 1])
        batch.addRule(rule(`set ${setId}`, [load, { name: 'lookup', set: set.set, setId, sreg: 1 }]))
      batch
        .addRule({ ...rule('jump'), chain: 'out', expressions: [counter, jump('c')] })
        .addTable(other)
        .addChain({ ...other, base: { type: 'nat', hook: 'output', priority: -100 } })
        .addRule({
          ...other,
          compat: { protocol: 6, inverted: false },
          expressions: [
            { name: 'meta', key: 'l4proto', dreg: 1 },
            { name: 'cmp', sreg: 1, op: 'eq', data: Uint8Array.of(6) },
            { name: 'match', module: 'tcp', revision: 0, info: Buffer.from('0000ffff500050000000000000000000', 'hex') },
            { name: 'counter', bytes: 180n, packets: 3n },
            accept,
          ],
        })
      nft.commit(batch)
      const before = everything(nft)
      const all = snapshot(nft)
      nft.commit(restore(new Batch().deleteTable(ex).deleteTable(other), all))
      expect(everything(nft)).toEqual(before)

      const one = snapshot(nft, [other])
      nft.commit(new Batch().deleteTable(ex).deleteTable(other))
      nft.commit(restore(new Batch(), one))
      expect(nft.tables().map(({ table }) => table)).toEqual(['nat'])
      expect(thrown(() => nft.commit(restore(new Batch(), one))).faults[0]).toMatchObject({ code: 'EEXIST' })
      nft.commit(restore(new Batch().deleteTable(other), all))
      expect(everything(nft)).toEqual(before)
    })
  })

  describe('events', () => {
    const next = async (events: AsyncGenerator<Commit, void, void>) => {
      const { value } = await events.next()
      if (value === undefined) throw new Error('no more events')
      return value
    }

    test('report each transaction, its process and its changes', { timeout: 20_000 }, async () => {
      await using world = await open()
      using socket = world.listen()
      using other = world.other()
      const events = commits(socket, { interval: 1 })
      world.nft.commit(begun().addRule(rule('ours')))
      tamper(other)
      other.commit(new Batch().deleteTable(ex))
      const first = await next(events)
      expect(first).toMatchObject({ generation: 2, pid: world.pid, port: world.nft.port(), lost: false })
      expect(first.changes).toEqual([
        { action: 'add', kind: 'table', table: expect.objectContaining(ex) },
        { action: 'add', kind: 'chain', chain: expect.objectContaining(chain) },
        { action: 'add', kind: 'rule', rule: expect.objectContaining({ ...chain, comment: 'ours' }) },
      ])
      const second = await next(events)
      expect([second.generation, second.port === other.port()]).toEqual([3, true])
      expect(second.changes.map(({ action, kind }) => `${action} ${kind}`)).toContain('add rule')
      const third = await next(events)
      expect(third.changes.map(({ action, kind }) => `${action} ${kind}`)).toEqual(
        expect.arrayContaining(['delete rule', 'delete chain', 'delete table']),
      )
      await events.return()
    })

    test('without room in the socket are reported as lost, later events are complete', {
      timeout: 20_000,
    }, async () => {
      await using world = await open()
      using socket = world.listen(4096)
      const events = commits(socket, { interval: 1 })
      const batch = begun()
      for (let i = 0; i < 300; i++) batch.addRule(rule(`${i}`))
      world.nft.commit(batch)
      let last = await next(events)
      while (!last.lost) last = await next(events)
      expect(last).toMatchObject({ generation: undefined, changes: [] })
      for (const [comment, lost] of [
        ['after', true],
        ['later', false],
      ] as const) {
        world.nft.commit(new Batch().addRule(rule(comment)))
        last = await next(events)
        expect(last).toMatchObject({ generation: world.nft.generation(), lost })
        expect(last.changes).toMatchObject([{ action: 'add', kind: 'rule', rule: { comment } }])
      }
      await events.return()
    })
  })
}

function fail(): never {
  throw new Error('The rule is missing')
}

const everything = (nft: Nft) => ({
  tables: nft.tables().map(({ handle: _, ...rest }) => rest),
  chains: nft.chains().map(({ handle: _, ...rest }) => rest),
  rules: nft.rules().map((each) => [each.table, each.chain, resolved(nft, each.expressions), each.comment]),
  sets: setsOf(nft).map(({ handle: _, set, ...rest }) => ({
    ...rest,
    elements: elementsOf(nft, { ...rest, set }),
    name: set.startsWith('__') ? 'anonymous' : set,
  })),
})

/** Replaces anonymous names by content, because the kernel may choose other names after a restore. */
const resolved = (nft: Nft, expressions: readonly Expression[]) =>
  expressions.map((each) =>
    each.name === 'lookup' ? { ...each, set: elementsOf(nft, { ...ex, set: each.set }) } : each,
  )
