import {
  addRuleset,
  type BasePart,
  base,
  chain,
  isNftDriftError,
  nftRuleset,
  type Ruleset,
  set,
  type TableParts,
} from '@cni/nftables'
import { addElements, Batch, elementsOf, isNftError, setsOf } from '@cni/nftables/wire'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { RulesetWorld } from './ruleset/world.ts'

const parts = { output: base('nat', 'output', -100), own: chain, proxy: chain } as const
const ex = { family: 'inet', table: 'ex' } as const
const own = { ...ex, chain: 'own' } as const

const rules = nftRuleset('inet', { ex: parts }, (t) => [
  t.ex.on('output').counter().jump('own'),
  t.ex.on('own').oifname('lo').ip('daddr').not('127.0.0.1/32').tcp('dport').not([53, 15008]).skuid(1337).return(),
  t.ex.on('own').l4proto('tcp').counter().jump('proxy').comment('all else'),
  t.ex.on('proxy').l4proto('tcp').counter().redirect(15001),
])

/** What `nftables` promises of rulesets, over a fake or a real kernel. */
export function rulesetBehaviour(name: string, open: () => Promise<RulesetWorld>): void {
  let world: RulesetWorld
  const dump = () => snapshotOf(world)

  describe(name, () => {
    beforeEach(async () => {
      world = await open()
    })
    afterEach(() => world[Symbol.asyncDispose]())

    test('apply writes what is not there, and leaves alone what is', async () => {
      const { tables } = world
      await expect(tables.apply(rules)).resolves.toMatchObject({ plan: 'fresh', changed: true })
      const { generation } = await tables.apply(rules)
      await expect(tables.apply(rules)).resolves.toMatchObject({ plan: 'unchanged', changed: false, generation })
      await tables.verify(rules)
    })

    test('what counters have counted is no difference', async () => {
      const { tables, nft } = world
      await tables.apply(rules)
      const [first] = nft.rules({ ...ex, chain: 'output' })
      const counted = { name: 'counter', packets: 7n, bytes: 99n } as const
      const jump = { name: 'immediate', dreg: 0, data: { verdict: 'jump', chain: 'own' } } as const
      nft.commit(new Batch().replaceRule(first?.handle ?? 0n, { ...ex, chain: 'output', expressions: [counted, jump] }))
      await expect(tables.apply(rules)).resolves.toMatchObject({ plan: 'unchanged' })
      expect(nft.rules({ ...ex, chain: 'output' })[0]?.expressions[0]).toEqual(counted)
    })

    test.each<[string, (batch: Batch) => unknown]>([
      ['a rule of others', (batch) => batch.addRule({ ...own, expressions: [{ name: 'counter' }] })],
      ['a rule that is missing', (batch) => batch.deleteRule({ ...own, handle: handleOf(own, 1) })],
      ['a chain of others', (batch) => batch.addChain({ ...ex, chain: 'theirs' })],
      [
        'a chain of others that is jumped to',
        (batch) =>
          batch.addChain({ ...ex, chain: 'theirs' }).addRule({
            ...own,
            expressions: [{ name: 'immediate', dreg: 0, data: { verdict: 'goto', chain: 'theirs' } }],
          }),
      ],
      ['a policy', (batch) => batch.addChain({ ...ex, chain: 'output', base: outputBase, policy: 'drop' })],
      ['a table that is dormant', (batch) => batch.addTable({ ...ex, flags: 1 })],
      ['empty chains', (batch) => batch.flush(ex)],
      ['no table', (batch) => batch.deleteTable(ex)],
    ])('apply corrects %s', async (_, spoil) => {
      const { tables, nft } = world
      await tables.apply(rules)
      const wanted = dump()
      const batch = new Batch()
      spoil(batch)
      nft.commit(batch)
      await expect(tables.verify(rules)).rejects.toSatisfy(isNftDriftError)
      const plan = nft.tables().length === 0 ? 'fresh' : 'replace'
      await expect(tables.apply(rules)).resolves.toMatchObject({ plan })
      expect(dump()).toEqual(wanted)
      await tables.verify(rules)
    })

    test.each<[string, Ruleset]>([
      ['priority', withOutput(base('nat', 'output', -90))],
      ['hook', withOutput(base('nat', 'prerouting', -100))],
      ['type', withOutput(base('filter', 'output', -100))],
    ])('a base chain with another %s is replaced', async (_, other) => {
      const { tables } = world
      await tables.apply(other)
      await expect(tables.apply(rules)).resolves.toMatchObject({ plan: 'replace' })
      await tables.verify(rules)
      await expect(tables.apply(other)).resolves.toMatchObject({ plan: 'replace' })
      await tables.verify(other)
    })

    test('only what differs is written', async () => {
      const { tables, nft } = world
      await tables.apply(rules)
      const [kept] = nft.rules({ ...ex, chain: 'output' })
      nft.commit(new Batch().addRule({ ...own, expressions: [{ name: 'counter' }] }))
      await tables.apply(rules)
      expect(nft.rules({ ...ex, chain: 'output' })[0]?.handle).toBe(kept?.handle)
    })

    test('a drift names every rule that differs', async () => {
      const { tables, nft } = world
      await tables.apply(rules)
      nft.commit(
        new Batch()
          .flush({ ...ex, chain: 'proxy' })
          .addRule({ ...own, expressions: [{ name: 'counter' }], comment: 'x' }),
      )
      const drift = await tables.diff(rules)
      expect(drift).toMatchObject({
        missing: [{ ...ex, chain: 'proxy', rule: 'meta l4proto tcp counter redirect to :15001' }],
        unexpected: [{ ...own, rule: 'counter comment "x"' }],
        changed: [],
      })
      await expect(tables.verify(rules)).rejects.toThrow(/1 missing, 1 unexpected/)
    })

    test('rules in another order are a drift', async () => {
      const { tables } = world
      const swapped = nftRuleset('inet', { ex: { own: chain } }, (t) => [
        t.ex.on('own').counter().accept(),
        t.ex.on('own').counter().drop(),
      ])
      const straight = nftRuleset('inet', { ex: { own: chain } }, (t) => [
        t.ex.on('own').counter().drop(),
        t.ex.on('own').counter().accept(),
      ])
      await tables.apply(swapped)
      await expect(tables.diff(straight)).resolves.toMatchObject({
        missing: [],
        unexpected: [],
        changed: [{ reason: 'order' }],
      })
    })

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

    test('elements of a set are owned when they are declared, and left when they are not', async () => {
      const { tables, nft } = world
      const withElements = nftRuleset(
        'inet',
        {
          ex: {
            c: chain,
            owned: set('ipv4_addr', { elements: [{ key: '10.0.0.1' }, { key: '10.0.0.2' }] }),
            free: set('inet_service'),
            nets: set('ipv4_addr', { interval: true, elements: [{ key: '10.0.0.0/8' }] }),
          },
        },
        (t) => [t.ex.on('c').ip('daddr', { named: 'owned' }).tcp('dport', { named: 'free' }).accept()],
      )
      await tables.apply(withElements)
      await expect(tables.apply(withElements)).resolves.toMatchObject({ plan: 'unchanged' })
      addElementsTo(world, 'free', Uint8Array.of(0, 80))
      await expect(tables.apply(withElements)).resolves.toMatchObject({ plan: 'unchanged' })
      addElementsTo(world, 'owned', Uint8Array.of(10, 0, 0, 3))
      await expect(tables.diff(withElements)).resolves.toMatchObject({
        changed: [{ set: 'owned', reason: 'elements' }],
      })
      await expect(tables.apply(withElements)).resolves.toMatchObject({ plan: 'replace' })
      expect(elementsOf(nft, { ...ex, set: 'owned' })).toHaveLength(2)
      expect(elementsOf(nft, { ...ex, set: 'free' })).toHaveLength(1)
    })

    test('a set of another type is made anew, with the rules that look into it', async () => {
      const { tables, nft } = world
      const withKey = (interval: boolean) =>
        nftRuleset('inet', { ex: { c: chain, s: set('ipv4_addr', interval ? { interval } : {}) } }, (t) => [
          t.ex.on('c').ip('daddr', { named: 's' }).accept(),
        ])
      await tables.apply(withKey(false))
      await expect(tables.apply(withKey(true))).resolves.toMatchObject({ plan: 'replace' })
      await tables.verify(withKey(true))
      expect(setsOf(nft, ex)).toMatchObject([{ flags: ['interval'] }])
    })
  })

  function handleOf(at: typeof own, index: number): bigint {
    return world.nft.rules(at)[index]?.handle ?? 0n
  }
}

const outputBase = { type: 'nat', hook: 'output', priority: -100 } as const

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

const withOutput = (output: BasePart) =>
  nftRuleset('inet', { ex: { ...parts, output } }, (t) => [
    t.ex.on('output').counter().jump('own'),
    t.ex.on('own').l4proto('tcp').return(),
  ])

function addElementsTo({ nft }: RulesetWorld, name: string, key: Uint8Array): void {
  const batch = new Batch()
  addElements(batch, { ...ex, set: name }, [{ key }])
  nft.commit(batch)
}

/** All there is, but what the kernel numbers. */
function snapshotOf({ nft }: RulesetWorld) {
  return {
    tables: nft.tables().map(({ handle: _, use: __, ...table }) => table),
    chains: nft
      .chains()
      .map(({ handle: _, use: __, ...chain }) => chain)
      .sort(byName),
    rules: nft
      .rules()
      .map(({ chain, expressions, comment }) => ({
        chain,
        comment,
        expressions: expressions.map((each) => (each.name === 'lookup' ? { ...each, set: 'anonymous' } : each)),
      }))
      .sort(byName),
  }
}

const byName = (a: { readonly chain: string }, b: { readonly chain: string }) =>
  a.chain < b.chain ? -1 : a.chain > b.chain ? 1 : 0
