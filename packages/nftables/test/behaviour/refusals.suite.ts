import { addSet, Batch, deleteSet, type Expression, type Nft, setsOf } from '@cni/nftables/wire'
import { describe, expect, test } from 'vitest'
import { begun, chain, counter, ex, jump, rule, thrown, type World } from './world.ts'

const REDIRECT: Expression = { name: 'redir' }
const FILTER = { type: 'filter', hook: 'output', priority: 0 } as const
const inBase = { ...ex, chain: 'out' }

/** Test cases: batches that the kernel refuses. The namespace already has the table and chain of the tests. */
const refused: Record<string, { batch: () => Batch; fault: Record<string, unknown>; text: RegExp }> = {
  'a table that does not exist': {
    batch: () => new Batch().addChain({ ...chain, table: 'no' }),
    fault: { code: 'ENOENT', kind: 'chain', table: 'no', part: 'table' },
    text: /^Add chain "c" in table inet "no": ENOENT at table, there is no table inet "no"$/,
  },
  'the deletion of a table that does not exist': {
    batch: () => new Batch().deleteTable({ ...ex, table: 'no' }),
    fault: { code: 'ENOENT', kind: 'table', part: 'table' },
    text: /^Delete table inet "no": ENOENT at table, there is no table inet "no"$/,
  },
  'the deletion of a chain that does not exist': {
    batch: () => new Batch().deleteChain({ ...ex, chain: 'no' }),
    fault: { code: 'ENOENT', kind: 'chain', chain: 'no', part: 'chain' },
    text: /there is no chain "no"$/,
  },
  'the deletion of a chain that a rule jumps to': {
    batch: () =>
      new Batch()
        .addChain(inBase)
        .addRule({ ...inBase, expressions: [jump('c')] })
        .deleteChain(chain),
    fault: { code: 'EBUSY', kind: 'chain', chain: 'c', index: 2 },
    text: /a rule still jumps to it$/,
  },
  'the deletion of a set that a rule uses': {
    batch: () => {
      const batch = addSet(new Batch(), { ...ex, set: 's', keyType: 13, keyLength: 2 })
      batch.addRule({
        ...chain,
        expressions: [
          { name: 'payload', dreg: 1, base: 'transport', offset: 2, len: 2 },
          { name: 'lookup', set: 's', sreg: 1 },
        ],
      })
      return deleteSet(batch, { ...ex, set: 's' })
    },
    fault: { code: 'EBUSY', kind: 'set', set: 's' },
    text: /^Delete set "s" in table inet "ex": EBUSY.*it is in use$/,
  },
  'a base chain that exists with another priority': {
    batch: () =>
      new Batch().addChain({ ...inBase, base: FILTER }).addChain({ ...inBase, base: { ...FILTER, priority: 1 } }),
    fault: { kind: 'chain', chain: 'out', index: 1 },
    text: /^Add chain "out" in table inet "ex": /,
  },
  'a nat chain before connection tracking': {
    batch: () => new Batch().addChain({ ...inBase, base: { type: 'nat', hook: 'output', priority: -200 } }),
    fault: { code: 'EOPNOTSUPP', kind: 'chain' },
    text: /EOPNOTSUPP, it exists with another type, hook or priority, or has a nat chain before -200$/,
  },
  'a redirect in a filter chain': {
    batch: () => new Batch().addChain({ ...inBase, base: FILTER }).addRule({ ...inBase, expressions: [REDIRECT] }),
    fault: { code: 'EOPNOTSUPP', kind: 'rule', chain: 'out' },
    text: /does not work in this kind of chain/,
  },
  'a redirect that is reached from a filter chain': {
    batch: () =>
      new Batch()
        .addChain({ ...inBase, base: FILTER })
        .addRule({ ...chain, expressions: [REDIRECT] })
        .addRule({ ...inBase, expressions: [jump('c')] }),
    fault: { code: 'EOPNOTSUPP', kind: 'rule', chain: 'out', index: 2 },
    text: /or in one that jumps here/,
  },
  'jumps in a circle': {
    batch: () =>
      new Batch()
        .addChain({ ...inBase, base: FILTER })
        .addChain({ ...ex, chain: 'd' })
        .addRule({ ...inBase, expressions: [jump('c')] })
        .addRule({ ...chain, expressions: [jump('d')] })
        .addRule({ ...chain, chain: 'd', expressions: [counter, jump('c')] }),
    fault: { kind: 'rule', chain: 'd', index: 4 },
    text: /E(MLINK|LOOP).*jumps in a circle, or more than 16 deep$/,
  },
  'an xt match in a table of both families': {
    batch: () =>
      new Batch().addRule(rule('xt', [{ name: 'match', module: 'tcp', revision: 0, info: new Uint8Array(16) }])),
    fault: { code: 'ENOENT', kind: 'rule', expression: 0 },
    text: /the kernel has no xt match "tcp", revision 0, for this table/,
  },
  'an expression that the kernel does not have': {
    batch: () => new Batch().addRule(rule('raw', [counter, { name: 'raw', of: 'nosuch' }])),
    fault: { code: 'ENOENT', kind: 'rule', expression: 1 },
    text: /the kernel has no expression "nosuch"$/,
  },
  'a place after a rule that does not exist': {
    batch: () => new Batch().addRule({ ...rule('lost'), place: { after: 4711n } }),
    fault: { code: 'ENOENT', kind: 'rule', part: 'position' },
    text: /ENOENT at position/,
  },
}

/** Contract tests of batches that the kernel refuses. */
export function refusalsBehaviour(open: () => Promise<World>): void {
  describe('the error of a refused batch names the cause', () => {
    test.each(Object.entries(refused))('%s', async (_, { batch, fault, text }) => {
      await using world = await open()
      const { nft } = world
      nft.commit(begun())
      const before = state(nft)
      const error = thrown(() => nft.commit(batch()))
      expect(error.code).toBe('REFUSED')
      expect(error.faults).toEqual([expect.objectContaining({ ...fault, text: expect.stringMatching(text) })])
      expect(error.message).toContain(error.faults[0]?.text)
      expect(state(nft)).toEqual(before)
    })

    test('the error has all faults, the message only some', async () => {
      await using world = await open()
      const batch = new Batch()
      for (let i = 0; i < 1000; i++) batch.deleteTable({ family: 'ip', table: `no${i}` })
      const error = thrown(() => world.nft.commit(batch))
      expect(error.faults.map(({ table }) => table)).toEqual(Array.from({ length: 1000 }, (_, i) => `no${i}`))
      expect(error.message).toMatch(/"no2".*; and 997 more$/)
    })

    test('faults that do not fit into the socket are mentioned, and do not disturb the next commit', async () => {
      await using world = await open()
      using small = world.other(4096)
      const batch = new Batch()
      for (let i = 0; i < 1000; i++) batch.deleteTable({ family: 'ip', table: `no${i}` })
      const error = thrown(() => small.commit(batch))
      expect(error.code).toBe('REFUSED')
      expect(error.faults.length).toBeLessThan(1000)
      expect(error.message).toMatch(/and others: the kernel reported more than the socket holds$/)
      small.commit(begun())
      expect(world.nft.chains()).toHaveLength(1)
    })
  })

  test('a batch larger than any socket buffer is one transaction', async () => {
    await using world = await open()
    const batch = begun()
    for (let i = 0; i < 3000; i++) batch.addRule(rule(`${i}`))
    expect(batch.bytes().length).toBeGreaterThan(212_992)
    world.nft.commit(batch)
    expect(world.nft.rules(chain).map(({ comment }) => comment)).toEqual(Array.from({ length: 3000 }, (_, i) => `${i}`))
  })
}

const state = (nft: Nft) => [nft.generation(), nft.tables(), nft.chains(), nft.rules(), setsOf(nft)]
