import { addRuleset, base, chain, nftRuleset, type Ruleset, type TableParts } from '@cni/nftables'
import { Batch, isNftError } from '@cni/nftables/wire'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { ex, own, rules, snapshotOf } from './rules.ts'
import type { RulesetWorld } from './world.ts'

/** What changes nothing, or can be taken back. */
export function waysBackBehaviour(open: () => Promise<RulesetWorld>): void {
  let world: RulesetWorld
  const dump = () => snapshotOf(world)

  describe('ways back', () => {
    beforeEach(async () => {
      world = await open()
    })
    afterEach(() => world[Symbol.asyncDispose]())

    test('remove deletes the tables, and what is not there is fine', async () => {
      const { tables, nft } = world
      nft.commit(new Batch().addTable({ family: 'inet', table: 'theirs' }))
      await tables.apply(rules)
      await expect(tables.remove(rules)).resolves.toMatchObject({ changed: true })
      await expect(tables.remove(rules)).resolves.toMatchObject({ changed: false })
      expect(nft.tables()).toMatchObject([{ table: 'theirs' }])
    })

    test('undo puts back what was there before: nothing', async () => {
      await world.undoable.apply(rules)
      await world.undo()
      expect(world.nft.tables()).toEqual([])
    })

    test('undo puts back what was there before, also what we do not understand', async () => {
      const { nft, undoable } = world
      nft.commit(
        addRuleset(new Batch(), rules)
          .addChain({ ...ex, chain: 'theirs' })
          .addRule({ ...ex, chain: 'theirs', expressions: [{ name: 'fib', dreg: 1, result: 'oif', flags: 9 }] }),
      )
      const before = dump()
      await expect(undoable.apply(rules)).resolves.toMatchObject({ plan: 'replace' })
      expect(dump()).not.toEqual(before)
      await world.undo()
      expect(dump()).toEqual(before)
      await undoable.remove(rules)
      expect(nft.tables()).toEqual([])
      await world.undo()
      expect(dump()).toEqual(before)
    })

    test('an apply that changes nothing has nothing to undo', async () => {
      const { tables, undoable, nft } = world
      await tables.apply(rules)
      const generation = nft.generation()
      await undoable.apply(rules)
      await world.undo()
      expect(nft.generation()).toBe(generation)
    })

    test('check tells what the kernel would refuse, and changes nothing', async () => {
      const { tables, nft } = world
      await tables.apply(rules)
      const generation = nft.generation()
      await tables.check(rules)
      const refused: Ruleset = {
        tables: [{ ...{ family: 'inet', name: 'ex', sets: [] }, chains: [{ name: 'own', rules: nowhere }] }],
      }
      await expect(tables.check(refused)).rejects.toMatchObject({
        code: 'REFUSED',
        faults: [
          { code: 'ENOENT', errno: 2, table: 'ex', chain: 'own', text: expect.stringContaining('"nowhere"') },
          { code: 'ENOENT', errno: 2, table: 'ex', chain: 'own' },
        ],
      })
      await expect(tables.apply(refused)).rejects.toMatchObject({ code: 'REFUSED' })
      await expect(world.undoable.apply(refused)).rejects.toMatchObject({ code: 'REFUSED' })
      await world.undo()
      expect(nft.generation()).toBe(generation)
      await tables.verify(rules)
    })

    test('jumps may be as deep as the kernel takes them', async () => {
      const { tables } = world
      await tables.apply(deep(15))
      expect(() => deep(16)).toThrow(/more than 15 deep/)
    })

    test('a transaction makes several changes or none, and can be taken back', async () => {
      const { tables, undoable, nft } = world
      await tables.apply(rules)
      const before = dump()
      const { value, changed } = await undoable.transaction([ex], (batch, socket) => {
        for (const rule of socket.rules(own)) batch.deleteRule(rule)
        batch.addRule({ ...own, expressions: [{ name: 'counter' }] })
        return batch.size
      })
      expect({ value, changed, left: nft.rules(own).length }).toEqual({ value: 3, changed: true, left: 1 })
      await world.undo()
      expect(dump()).toEqual(before)
      const half = tables.transaction([ex], (batch) => batch.flush(ex).deleteChain({ ...ex, chain: 'nowhere' }))
      await expect(half).rejects.toMatchObject({ code: 'REFUSED' })
      expect(dump()).toEqual(before)
    })

    test('a snapshot is restored as it was, whatever came later', async () => {
      const { tables, nft } = world
      await tables.apply(rules)
      const before = dump()
      const saved = await tables.snapshot([ex])
      await tables.remove(rules)
      await tables.restore(saved)
      expect(dump()).toEqual(before)
      nft.commit(new Batch().flush(ex).addChain({ ...ex, chain: 'theirs' }))
      await tables.restore(saved)
      expect(dump()).toEqual(before)
    })

    test('an aborted context changes nothing', async () => {
      await expect(world.aborted.apply(rules)).rejects.toMatchObject({ code: 'ABORTED' })
      expect(world.nft.tables()).toEqual([])
    })

    test('bad input changes nothing', async () => {
      const { tables, nft } = world
      const broken: Ruleset = {
        tables: [
          {
            ...{ family: 'inet', name: 'ex', sets: [] },
            chains: [{ name: 'c', rules: [{ statements: [{ kind: 'tcp dport', value: 70_000 }] }] }],
          },
        ],
      }
      await expect(tables.apply(broken)).rejects.toSatisfy((error) => isNftError(error) && error.code === 'INVALID')
      expect(nft.tables()).toEqual([])
    })
  })
}

const nowhere: Ruleset['tables'][number]['chains'][number]['rules'] = [
  { statements: [{ kind: 'jump', chain: 'nowhere' }] },
  { statements: [{ kind: 'accept' }] },
  { statements: [{ kind: 'goto', chain: 'nowhere' }] },
]

/** A base chain with so many chains below it, each jumping to the next. */
const deep = (depth: number) => {
  const names = Array.from({ length: depth }, (_, at) => `c${at}`)
  const levels: TableParts = {
    in: base('filter', 'input', 0),
    ...Object.fromEntries(names.map((name) => [name, chain])),
  }
  return nftRuleset('inet', { deep: levels }, (t) => [
    t.deep.on('in').jump('c0'),
    ...names.slice(1).map((name, at) => t.deep.on(names[at] ?? '').jump(name)),
  ])
}
