import { isNftError, readTables } from '@cni/nftables'
import { type BasePart, base, chain, nftRuleset, type Ruleset, set } from '@cni/nftables/rules'
import { addElements, Batch, elementsOf, setsOf } from '@cni/nftables/wire'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { ex, own, parts, rules, snapshotOf } from './rules.ts'
import type { RulesetWorld } from './world.ts'

const isDrift = (error: unknown) => isNftError(error) && error.code === 'DRIFT' && error.drift !== undefined

/** Contract tests of the methods `apply`, `verify` and `diff` for rulesets. */
export function applyBehaviour(open: () => Promise<RulesetWorld>): void {
  let world: RulesetWorld
  const dump = () => snapshotOf(world)

  describe('apply', () => {
    beforeEach(async () => {
      world = await open()
    })
    afterEach(() => world[Symbol.asyncDispose]())

    test('writes missing tables, and leaves equal ones unchanged', async () => {
      const { tables } = world
      await expect(tables.apply(rules)).resolves.toMatchObject({ plan: 'fresh', changed: true })
      const { generation } = await tables.apply(rules)
      await expect(tables.apply(rules)).resolves.toMatchObject({ plan: 'unchanged', changed: false, generation })
      await tables.verify(rules)
    })

    test('ignores the values of counters', async () => {
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
      ['a rule of another program', (batch) => batch.addRule({ ...own, expressions: [{ name: 'counter' }] })],
      ['a missing rule', (batch) => batch.deleteRule({ ...own, handle: handleOf(world, 1) })],
      ['a chain of another program', (batch) => batch.addChain({ ...ex, chain: 'theirs' })],
      [
        'a jump to a chain of another program',
        (batch) =>
          batch.addChain({ ...ex, chain: 'theirs' }).addRule({
            ...own,
            expressions: [{ name: 'immediate', dreg: 0, data: { verdict: 'goto', chain: 'theirs' } }],
          }),
      ],
      ['a policy', (batch) => batch.addChain({ ...ex, chain: 'output', base: outputBase, policy: 'drop' })],
      ['a dormant table', (batch) => batch.addTable({ ...ex, flags: 1 })],
      ['empty chains', (batch) => batch.flush(ex)],
      ['a missing table', (batch) => batch.deleteTable(ex)],
    ])('corrects %s', async (_, spoil) => {
      const { tables, nft } = world
      await tables.apply(rules)
      const wanted = dump()
      const batch = new Batch()
      spoil(batch)
      nft.commit(batch)
      await expect(tables.verify(rules)).rejects.toSatisfy(isDrift)
      const plan = nft.tables().length === 0 ? 'fresh' : 'replace'
      await expect(tables.apply(rules)).resolves.toMatchObject({ plan })
      expect(dump()).toEqual(wanted)
      await tables.verify(rules)
    })

    test.each<[string, Ruleset]>([
      ['priority', withOutput(base('nat', 'output', -90))],
      ['hook', withOutput(base('nat', 'prerouting', -100))],
      ['type', withOutput(base('filter', 'output', -100))],
    ])('replaces a base chain with another %s', async (_, other) => {
      const { tables } = world
      await tables.apply(other)
      await expect(tables.apply(rules)).resolves.toMatchObject({ plan: 'replace' })
      await tables.verify(rules)
      await expect(tables.apply(other)).resolves.toMatchObject({ plan: 'replace' })
      await tables.verify(other)
    })

    test('writes only the differences', async () => {
      const { tables, nft } = world
      await tables.apply(rules)
      const [kept] = nft.rules({ ...ex, chain: 'output' })
      nft.commit(new Batch().addRule({ ...own, expressions: [{ name: 'counter' }] }))
      await tables.apply(rules)
      expect(nft.rules({ ...ex, chain: 'output' })[0]?.handle).toBe(kept?.handle)
    })

    test('deletes absent tables in the same transaction, and undo restores them', async () => {
      const { tables, undoable, nft } = world
      const absent = { tables: ['ex', 'more', 'never'].map((name) => ({ family: 'inet', name }) as const) }
      const more = nftRuleset('inet', { ex: parts, more: { c: chain } }, (t) => [t.more.on('c').counter().accept()])
      await expect(tables.apply(more, { absent })).resolves.toMatchObject({ plan: 'fresh' })
      const before = dump()
      await expect(tables.diff(rules, { absent })).resolves.toMatchObject({
        unexpected: [{ family: 'inet', table: 'more' }],
      })
      await expect(tables.verify(rules, { absent })).rejects.toSatisfy(isDrift)
      const first = nft.generation()
      const { plan, generation } = await undoable.apply(rules, { absent })
      expect([plan, generation]).toEqual(['replace', first + 1])
      expect(nft.tables().map(({ table }) => table)).toEqual(['ex'])
      await tables.verify(rules, { absent })
      await expect(tables.apply(rules, { absent })).resolves.toMatchObject({ plan: 'unchanged', changed: false })
      await world.undo()
      expect(dump()).toEqual(before)
    })

    test('reports each refused rule as nft prints it', async () => {
      const { tables, nft } = world
      const refused = nftRuleset('inet', { ex: { own: chain, s: set('ipv4_addr') } }, (t) => [
        t.ex
          .on('own')
          .tcp('dport', [443, 80])
          .ip('saddr', { named: 's' })
          .raw(...unknown)
          .counter()
          .drop(),
        t.ex.on('own').l4proto('udp').accept(),
        t.ex
          .on('own')
          .ip('daddr', ['10.0.0.0/8', '192.0.2.1'])
          .raw(...unknown)
          .comment('why'),
      ])
      const texts = [
        'tcp dport { 80, 443 } ip saddr @s [nosuch] counter drop',
        'ip daddr { 10.0.0.0/8, 192.0.2.1 } [nosuch] comment "why"',
      ]
      const faults = texts.map((rule) => ({ ...own, rule, code: 'ENOENT', kind: 'rule' }))
      const told = { code: 'REFUSED', faults, message: expect.stringContaining(`"nosuch": ${texts[0]}; Add`) }
      await expect(tables.apply(refused)).rejects.toMatchObject(told)
      await expect(tables.check(refused)).rejects.toMatchObject(told)
      // If the set `s` exists, the batch does not contain the set. The kernel still refuses the rule.
      await tables.apply(nftRuleset('inet', { ex: { own: chain, s: set('ipv4_addr') } }, () => []))
      await expect(tables.apply(refused)).rejects.toMatchObject(told)
      const change = (batch: Batch) =>
        batch.addRule({ ...own, expressions: [{ name: 'counter' }, ...unknown] }).deleteTable({ ...ex, table: 'no' })
      const mixed = [{ rule: 'counter [nosuch]' }, { kind: 'table' }]
      await expect(tables.transaction([ex], change)).rejects.toMatchObject({ faults: mixed })
      expect(nft.rules()).toEqual([])
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

    test('another order of rules is a drift', async () => {
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

    test('declared elements of a set are owned, other elements stay', async () => {
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

    test('a repeated element is one element, and an interval that ends at the last value keeps its comment', async () => {
      const { tables, nft } = world
      const last = { from: '240.0.0.0', to: '255.255.255.255' }
      const elements = [{ key: 'tcp' }, { key: 6 }, { key: 17 }, { key: 'udp' }] as const
      const twice = nftRuleset(
        'inet',
        {
          ex: {
            p: set('inet_proto', { elements }),
            nets: set('ipv4_addr', { interval: true, elements: [{ key: last, comment: 'the rest' }] }),
          },
        },
        () => [],
      )
      await tables.apply(twice)
      await expect(tables.apply(twice)).resolves.toMatchObject({ plan: 'unchanged' })
      expect(elementsOf(nft, { ...ex, set: 'p' })).toHaveLength(2)
      const [read] = readTables(nft).tables
      expect(read?.sets.find(({ name }) => name === 'nets')?.elements).toEqual([
        { key: '240.0.0.0/4', comment: 'the rest' },
      ])
      const differ = [{ key: 'tcp', comment: 'one' }, { key: 6 }] as const
      expect(() => nftRuleset('inet', { ex: { p: set('inet_proto', { elements: differ }) } }, () => [])).toThrow(
        'set p: element "tcp" is given twice',
      )
    })

    test('a set of another type is replaced, with the rules that use it', async () => {
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
}

const unknown = [{ name: 'raw', of: 'nosuch' }] as const
const outputBase = { type: 'nat', hook: 'output', priority: -100 } as const

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

const handleOf = ({ nft }: RulesetWorld, index: number): bigint => nft.rules(own)[index]?.handle ?? 0n
