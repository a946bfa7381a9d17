import { be16 } from '@cni/netns/netlink'
import { base, chain, nftRuleset, type Ruleset, type TableParts } from '@cni/nftables/rules'
import { addElements, addSet, Batch, deleteElements, type Expression, elementsOf, isNftError } from '@cni/nftables/wire'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { addRuleset } from '../../src/encode/encode-table.ts'
import { ex, own, rules, snapshotOf } from './rules.ts'
import type { RulesetWorld } from './world.ts'

/** Contract tests of rollbacks, and of calls of `nftables` that change nothing. */
export function rollbackBehaviour(open: () => Promise<RulesetWorld>): void {
  let world: RulesetWorld
  const dump = () => snapshotOf(world)

  describe('rollbacks', () => {
    beforeEach(async () => {
      world = await open()
    })
    afterEach(() => world[Symbol.asyncDispose]())

    test('remove deletes the tables, and ignores missing ones', async () => {
      const { tables, nft } = world
      nft.commit(new Batch().addTable({ family: 'inet', table: 'theirs' }))
      await tables.apply(rules)
      await expect(tables.remove(rules)).resolves.toMatchObject({ changed: true })
      await expect(tables.remove(rules)).resolves.toMatchObject({ changed: false })
      expect(nft.tables()).toMatchObject([{ table: 'theirs' }])
    })

    test('undo deletes tables that did not exist before', async () => {
      await world.undoable.apply(rules)
      await world.undo()
      expect(world.nft.tables()).toEqual([])
    })

    test('undo restores earlier content, including unknown expressions', async () => {
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

    test('undo of an apply without changes does nothing', async () => {
      const { tables, undoable, nft } = world
      await tables.apply(rules)
      const generation = nft.generation()
      await undoable.apply(rules)
      await world.undo()
      expect(nft.generation()).toBe(generation)
    })

    test('check reports refused rules, and changes nothing', async () => {
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

    test('jumps may have the maximum depth of the kernel', async () => {
      const { tables } = world
      await tables.apply(deep(15))
      expect(() => deep(16)).toThrow(/more than 15 deep/)
    })

    test('a transaction is atomic, and can be rolled back', async () => {
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

    describe('undo keeps later changes of other programs', () => {
      const one = (comment: string) => ({ ...own, expressions: [{ name: 'counter' as const }], comment })
      const comments = () => world.nft.rules(own).map(({ comment }) => comment)
      const theirs = (batch: Batch) => world.nft.commit(batch)

      test('a rule beside ours', async () => {
        const { undoable, nft } = world
        nft.commit(new Batch().addTable(ex).addChain(own).addRule(one('first')))
        await undoable.transaction([ex], (batch) => batch.addRule(one('ours')))
        theirs(new Batch().addRule({ ...one('theirs'), place: 'first' }).addRule(one('ours')))
        await world.undo()
        expect(comments()).toEqual(['theirs', 'first', 'ours'])
      })

      test.each([
        ['a rule in our chain', (b: Batch) => b.addRule(one('theirs')), 1],
        ['a chain in our table', (b: Batch) => b.addChain({ ...ex, chain: 'theirs' }), 1],
        [
          'a jump to our chain',
          (b: Batch) =>
            b.addChain({ ...ex, chain: 'theirs' }).addRule({ ...ex, chain: 'theirs', expressions: jumpTo('own') }),
          2,
        ],
        ['no change', (b: Batch) => b, 0],
      ] as const)('%s', async (_, change, chains) => {
        const { undoable, nft } = world
        await undoable.transaction([ex], (batch) => batch.addTable(ex).addChain(own).addRule(one('ours')))
        theirs(change(new Batch()))
        await world.undo()
        expect([nft.tables().length, nft.chains().length]).toEqual([chains === 0 ? 0 : 1, chains])
        expect(comments()).not.toContain('ours')
      })

      test('elements in our set', async () => {
        const { undoable, nft } = world
        const ports = { ...ex, set: 'ports', keyType: 13, keyLength: 2 } as const
        const before = { ...ports, set: 'before' } as const
        nft.commit(addSet(new Batch().addTable(ex), before))
        nft.commit(addElements(new Batch(), before, [{ key: be16(1) }]))
        await undoable.transaction([ex], (batch) => {
          addElements(addSet(batch, ports), ports, [{ key: be16(80) }])
          addElements(batch, before, [{ key: be16(1) }, { key: be16(2) }])
          deleteElements(batch, before, [{ key: be16(1) }])
        })
        theirs(addElements(new Batch(), ports, [{ key: be16(443) }]))
        await world.undo()
        expect(elementsOf(nft, ports)).toEqual([{ key: Buffer.from(be16(443)) }])
        expect(elementsOf(nft, before)).toEqual([{ key: Buffer.from(be16(1)) }])
      })

      test('deleted rules, and a table in place of ours', async () => {
        const { undoable, nft } = world
        const names = ['a', 'b', 'c', 'd', 'e']
        const batch = new Batch().addTable(ex).addChain(own)
        for (const name of names) batch.addRule(one(name))
        nft.commit(batch)
        const handleOf = (comment: string) => nft.rules(own).find((each) => each.comment === comment)?.handle ?? 0n
        await undoable.transaction([ex], (each) =>
          each.deleteRule({ ...own, handle: handleOf('b') }).deleteRule({ ...own, handle: handleOf('d') }),
        )
        theirs(new Batch().deleteRule({ ...own, handle: handleOf('c') }))
        theirs(new Batch().addRule(one('f')))
        await world.undo()
        expect(comments()).toEqual(['a', 'b', 'd', 'e', 'f'])
        await undoable.transaction([ex], (each) => each.deleteTable(ex))
        theirs(new Batch().addTable({ ...ex, comment: 'theirs' }))
        await world.undo()
        expect([nft.tables()[0]?.comment, nft.chains()]).toEqual(['theirs', []])
      })

      test('a policy that was changed again', async () => {
        const { undoable, nft } = world
        const policyOf = () => nft.chains({ family: 'inet', table: 'ex' })[0]?.policy
        const baseChain = { ...own, base: { type: 'filter', hook: 'input', priority: 0 } } as const
        const set = (policy: 'accept' | 'drop') => (batch: Batch) => batch.addChain({ ...own, policy })
        nft.commit(new Batch().addTable(ex).addChain(baseChain))
        await undoable.transaction([ex], set('drop'))
        await world.undo()
        expect(policyOf()).toBe('accept')
        await undoable.transaction([ex], set('drop'))
        theirs(set('accept')(new Batch()))
        theirs(set('drop')(new Batch()))
        await world.undo()
        expect(policyOf()).toBe('accept')
      })

      test('a rule in a table of apply', async () => {
        const { undoable, nft } = world
        await undoable.apply(rules)
        theirs(new Batch().addRule(one('theirs')))
        await world.undo()
        expect(nft.rules().map(({ comment }) => comment)).toEqual(['theirs'])
      })

      test('elements of a set that we filled by name', async () => {
        const { tables, undoable, nft } = world
        nft.commit(new Batch().addTable(ex))
        const spec = { name: 'pods', key: 'ipv4_addr' } as const
        await undoable.set(ex, spec).create()
        await undoable.set(ex, spec).add(['10.0.0.1'])
        await tables.set(ex, spec).add(['10.0.0.2'])
        await world.undo()
        expect(await tables.set(ex, spec).list()).toMatchObject([{ key: '10.0.0.2' }])
      })
    })

    test('restore restores a snapshot over any later content', async () => {
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

    test('an invalid ruleset changes nothing', async () => {
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

const jumpTo = (chain: string): readonly Expression[] => [
  { name: 'immediate', dreg: 0, data: { verdict: 'jump', chain } },
]

/** Ruleset with a base chain that jumps through a row of `depth` chains. */
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
