import fc from 'fast-check'
import { limitUnits } from '../src/rules/actions.ts'
import { canonicalStatement } from '../src/rules/canonical.ts'
import { canonicalSet } from '../src/rules/canonical-set.ts'
import { complete } from '../src/rules/complete.ts'
import { dataTypes } from '../src/rules/data-type.ts'
import type { Chain, NamedSet, Rule, Ruleset, Table } from '../src/rules/model.ts'
import { selectors } from '../src/rules/selector.ts'
import type { Statement } from '../src/rules/statement.ts'
import type { Selector, SetType } from '../src/rules/values.ts'

type Family = 'inet' | 'ip' | 'ip6'
type Type = keyof typeof dataTypes

const u32 = fc.oneof(fc.nat(9), fc.integer({ min: 0, max: 0xffff_ffff }))
const id = fc.oneof(fc.nat(9), fc.integer({ min: 0, max: 0xffff_fffe }))
const port = fc.integer({ min: 1, max: 65_535 })
const byte = fc.nat(255)
const ipv4 = fc.oneof(fc.ipV4(), fc.constantFrom('10.0.0.1', '127.0.0.1', '0.0.0.0', '255.255.255.255'))
const ipv6 = fc.oneof(fc.ipV6(), fc.constantFrom('fd00::1', '::1', '::', '::1.2.3.4', '::ffff:1.2.3.4'))
const withLength = (address: fc.Arbitrary<string>, most: number) =>
  fc.tuple(address, fc.integer({ min: 0, max: most })).map(([text, length]) => `${text}/${length}`)
const name = fc.stringMatching(/^[a-z][a-z0-9.-]{0,9}$/)

const values: Readonly<Record<Type, fc.Arbitrary<unknown>>> = {
  nfproto: fc.constantFrom('ipv4', 'ipv6'),
  boolean: fc.constantFrom(0, 1),
  ipv4_addr: ipv4,
  ipv6_addr: ipv6,
  inet_proto: fc.oneof(
    fc.constantFrom('tcp', 'udp', 'icmp', 'esp', 'ipv6-icmp', 'sctp', 'comp'),
    fc.integer({ min: 1, max: 255 }),
  ),
  inet_service: fc.oneof(fc.constantFrom(53, 80, 443, 15_001), fc.nat(65_535)),
  icmp_type: byte,
  icmpv6_type: byte,
  mark: u32,
  uid: id,
  gid: id,
  ct_state: fc.subarray(['invalid', 'established', 'related', 'new', 'untracked'], { minLength: 1 }),
  ct_dir: fc.constantFrom('original', 'reply'),
  ct_status: fc.subarray(['expected', 'seen-reply', 'assured', 'confirmed', 'snat', 'dnat', 'dying'], { minLength: 1 }),
  pkttype: fc.constantFrom('host', 'broadcast', 'multicast', 'other'),
  fib_addrtype: fc.constantFrom('unspec', 'unicast', 'local', 'broadcast', 'anycast', 'multicast', 'prohibit'),
  ifname: fc.oneof(name, fc.constantFrom('eth0', 'lo', 'a:1')),
}
const networks: Partial<Record<Type, fc.Arbitrary<unknown>>> = {
  ipv4_addr: withLength(ipv4, 32),
  ipv6_addr: withLength(ipv6, 128),
  ifname: name.map((prefix) => ({ prefix })),
}

const nameOf = (kind: Selector): Type => {
  const found = Object.entries(dataTypes).find(([, type]) => type === selectors[kind].type)
  if (found === undefined) throw new Error(`No type of ${kind}`)
  return found[0] as Type
}

/** A key of a set: a value, a network, a range; of bits one, as nft has no order for those that begin with the same. */
function keyFor(type: Type): fc.Arbitrary<unknown> {
  const value = type.startsWith('ct_st') ? values[type].map((bits) => [bits].flat().slice(-1)) : values[type]
  const spec: { readonly ordered?: true } = dataTypes[type]
  const ranges = fc.tuple(value, value).map(([from, to]) => ({ from, to }))
  return fc.oneof(
    { weight: 3, arbitrary: value },
    { weight: 1, arbitrary: networks[type] ?? value },
    { weight: 1, arbitrary: spec.ordered === true ? ranges : value },
  )
}

function operandFor(type: Type): fc.Arbitrary<unknown> {
  const key = keyFor(type)
  const one = fc.oneof(key, values[type])
  const isMaskable = !['ifname', 'nfproto', 'boolean', 'pkttype', 'ct_dir', 'fib_addrtype'].includes(type)
  const masked = fc.record({ value: values[type], mask: values[type] })
  return fc.oneof(
    { weight: 4, arbitrary: one },
    { weight: 2, arbitrary: fc.array(key, { minLength: 1, maxLength: 7 }).map((set) => ({ set })) },
    { weight: 1, arbitrary: isMaskable ? masked : one },
  )
}

/** In canonical form; `undefined` for what is no statement. */
function canonical(statement: unknown): Statement | undefined {
  try {
    // What is wrong with it is found here.
    return canonicalStatement(statement as Statement, '')
  } catch {
    return undefined
  }
}

const isThere = <T>(value: T | undefined): value is T => value !== undefined

function matchOf(kind: Selector): fc.Arbitrary<Statement> {
  const type = nameOf(kind)
  const op = fc.option(fc.oneof({ weight: 3, arbitrary: fc.constant('!=') }, fc.constantFrom('<', '<=', '>', '>=')), {
    nil: undefined,
  })
  return fc
    .tuple(op, operandFor(type))
    .map(([given, value]) => ({ kind, ...(given === undefined ? {} : { op: given }), value }))
    .map(canonical)
    .filter(isThere)
}

const verdict = fc.oneof(
  fc.constantFrom('accept', 'drop', 'return', 'continue').map((word) => ({ verdict: word })),
  fc.constantFrom('jump', 'goto').map((word) => ({ verdict: word, chain: 'target' })),
)

function vmapOf(on: Selector): fc.Arbitrary<Statement> {
  const element = fc.record({ key: keyFor(nameOf(on)), verdict })
  return fc
    .array(element, { minLength: 1, maxLength: 5 })
    .map((elements) => ({ kind: 'vmap', on, map: { elements } }))
    .map(canonical)
    .filter(isThere)
}

const portOrRange = fc.oneof(
  port,
  fc.tuple(port, port).map(([a, b]) => ({ from: Math.min(a, b), to: Math.max(a, b) })),
)
const flags = fc.option(fc.subarray(['random', 'persistent', 'fully-random'], { minLength: 1 }), { nil: undefined })
const text = fc.string({ unit: fc.constantFrom(...'abc XYZ/.:-\\é€'), minLength: 1, maxLength: 20 })
const limit = fc
  .record(
    {
      kind: fc.constant('limit'),
      rate: fc.oneof(fc.integer({ min: 1, max: 5000 }), fc.constantFrom(1024, 4096, 1_048_576)),
      per: fc.constantFrom(...(Object.keys(limitUnits) as (keyof typeof limitUnits)[])),
      burst: fc.oneof(fc.constant(5), fc.integer({ min: 1, max: 3000 })),
      of: fc.constant('bytes'),
      over: fc.constant(true),
    },
    { requiredKeys: ['kind', 'rate', 'per', 'burst'] },
  )
  // The kernel counts in nanoseconds, with 64 bits.
  .filter(({ rate, burst, per }) => (rate + burst) * limitUnits[per] < 1e10)
const log = fc.oneof(
  fc.record(
    {
      kind: fc.constant('log'),
      prefix: text,
      level: fc.nat(8),
      flags: fc.subarray(['tcp sequence', 'tcp options', 'ip options', 'skuid', 'ether'], { minLength: 1 }),
    },
    { requiredKeys: ['kind'] },
  ),
  fc.record(
    { kind: fc.constant('log'), prefix: text, group: fc.nat(65_535), snaplen: fc.nat(99), threshold: fc.nat(99) },
    { requiredKeys: ['kind', 'group'] },
  ),
)
const markValue = fc.oneof(
  u32,
  fc.record({ of: fc.constantFrom('mark', 'ct mark'), and: u32, xor: u32 }, { requiredKeys: ['of'] }),
)
const n64 = fc.bigInt({ min: 0n, max: 2n ** 63n })

function natOf(family: Family): fc.Arbitrary<unknown> {
  const of = fc.constantFrom(...(family === 'inet' ? (['ip', 'ip6'] as const) : [family]))
  return of.chain((each) => {
    const address = each === 'ip' ? ipv4 : ipv6
    const ranges = fc.tuple(address, address).map(([from, to]) => ({ from, to }))
    const nat = { kind: fc.constantFrom('snat', 'dnat'), family: fc.constant(each), port: portOrRange, flags }
    return fc.record({ ...nat, address: fc.oneof(address, ranges) }, { requiredKeys: ['kind', 'family', 'address'] })
  })
}

function actionOf(family: Family): fc.Arbitrary<Statement> {
  const redirect = { kind: fc.constantFrom('redirect', 'masquerade'), port: portOrRange, flags }
  const codes = family === 'ip' ? ['icmp'] : family === 'ip6' ? ['icmpv6'] : ['icmp', 'icmpv6', 'icmpx']
  const proxies = [
    fc.record(
      { kind: fc.constant('tproxy'), family: fc.constant('ip'), address: ipv4, port },
      { requiredKeys: ['kind', 'family', 'port'] },
    ),
    fc.record(
      { kind: fc.constant('tproxy'), family: fc.constant('ip6'), address: ipv6, port },
      { requiredKeys: ['kind', 'family', 'address'] },
    ),
  ] as const
  const tproxy =
    family === 'ip'
      ? proxies[0]
      : family === 'ip6'
        ? proxies[1]
        : fc.oneof(...proxies, fc.record({ kind: fc.constant('tproxy'), port }))
  const action: fc.Arbitrary<unknown> = fc.oneof(
    {
      weight: 3,
      arbitrary: fc.record({ kind: fc.constant('counter'), packets: n64, bytes: n64 }, { requiredKeys: ['kind'] }),
    },
    { weight: 2, arbitrary: fc.record({ kind: fc.constantFrom('mark set', 'ct mark set'), to: markValue }) },
    fc.record({ kind: fc.constant('ct zone set'), to: fc.nat(0xffff) }),
    fc.record({ kind: fc.constant('nftrace set'), to: fc.constantFrom(0, 1) }),
    fc.constant({ kind: 'notrack' }),
    limit,
    log,
    { weight: 2, arbitrary: natOf(family) },
    { weight: 2, arbitrary: fc.record(redirect, { requiredKeys: ['kind'] }) },
    tproxy,
    fc.constant({ kind: 'reject', with: 'tcp reset' }),
    fc.record({ kind: fc.constant('reject'), with: fc.constantFrom(...codes), code: fc.oneof(fc.nat(3), fc.nat(15)) }),
    {
      weight: 4,
      arbitrary: verdict.map((each) =>
        'chain' in each ? { kind: each.verdict, chain: each.chain } : { kind: each.verdict },
      ),
    },
  )
  return action.map(canonical).filter(isThere)
}

/** A rule in canonical form; what contradicts itself is tried again. */
function ruleOf(family: Family): fc.Arbitrary<Rule> {
  const kinds = (Object.keys(selectors) as Selector[]).filter((kind) => family === 'inet' || kind !== 'nfproto')
  const condition = fc
    .constantFrom(...kinds)
    .chain((kind) => fc.oneof({ weight: 5, arbitrary: matchOf(kind) }, { weight: 1, arbitrary: vmapOf(kind) }))
  const statement = fc.oneof({ weight: 3, arbitrary: condition }, { weight: 1, arbitrary: actionOf(family) })
  return fc
    .record(
      { statements: fc.array(statement, { minLength: 1, maxLength: 6 }), comment: text },
      { requiredKeys: ['statements'] },
    )
    .map((rule) => {
      const statements = consistent(family, rule.statements)
      return statements.length === 0 ? undefined : { ...rule, statements }
    })
    .filter((rule) => rule !== undefined)
}

/** The statements of a list that do not contradict those before them, with what they need. */
function consistent(family: Family, statements: readonly Statement[]): readonly Statement[] {
  let kept: readonly Statement[] = []
  for (const statement of statements) {
    if (isReadOtherwise(statement, kept)) continue
    try {
      kept = complete(family, [...kept, statement])
    } catch {
      // It never matches behind those, or lacks its protocol.
    }
  }
  return kept
}

/**
 * What nft reads as something else than what was written. Ports behind a protocol are its own, whatever they are called; one
 * without ports has other fields there.
 */
function isReadOtherwise(statement: Statement, before: readonly Statement[]): boolean {
  const kind = statement.kind === 'vmap' ? statement.on : statement.kind
  const others = ['sctp', 'dccp', 'udplite']
  const isProtocol = (each: Statement) =>
    ['l4proto', 'ip protocol', 'ip6 nexthdr'].includes(each.kind) &&
    'value' in each &&
    !('op' in each) &&
    !others.includes(String(each.value))
  const last = before.at(-1)
  // Two ports are compared as one, the source first.
  const isSecond = kind.endsWith(' sport') && last?.kind === kind.replace('sport', 'dport')
  // nft takes two such for a range, of whatever the second looks at.
  const isRange = last !== undefined && ranges.has(`${opOf(last)} ${opOf(statement)}`)
  return isSecond || isRange || (kind.startsWith('th ') && before.some(isProtocol))
}

const ranges = new Set(['>= <=', '< >'])
const opOf = (statement: Statement) => ('op' in statement ? statement.op : '')

const bases = [
  { type: 'filter', hook: 'input', priority: 0 },
  { type: 'filter', hook: 'forward', priority: -7 },
  { type: 'filter', hook: 'prerouting', priority: -300 },
  { type: 'filter', hook: 'output', priority: -150 },
  { type: 'nat', hook: 'prerouting', priority: -100 },
  { type: 'nat', hook: 'postrouting', priority: 105 },
  { type: 'nat', hook: 'output', priority: -100 },
  { type: 'route', hook: 'output', priority: -139 },
] as const

const setTypes: readonly SetType[] = [
  ...(['ipv4_addr', 'ipv6_addr', 'inet_proto', 'inet_service', 'ifname', 'mark', 'uid', 'gid'] as const),
]

/** Keys that do not overlap, ranges among them. */
const apart: Readonly<Record<SetType, readonly unknown[]>> = {
  ipv4_addr: ['0.0.0.0', '1.1.1.1', { from: '2.0.0.1', to: '2.0.0.9' }, '10.0.0.0/8', '224.0.0.0/4', '255.255.255.255'],
  ipv6_addr: ['::', '::1', { from: 'fd00::2', to: 'fd00::9' }, 'fe80::/10', 'ff00::/8'],
  inet_proto: ['icmp', { from: 3, to: 5 }, 'tcp', { from: 9, to: 12 }, 'udp', { from: 100, to: 255 }],
  inet_service: [{ from: 0, to: 5 }, 7, { from: 80, to: 90 }, { from: 1000, to: 65_535 }],
  ifname: [{ prefix: 'eth' }, 'lo', { prefix: 'v' }, 'x'],
  mark: [{ from: 0, to: 5 }, 7, { from: 256, to: 300 }, 0xffff_ffff],
  uid: [{ from: 0, to: 5 }, 7, { from: 256, to: 300 }, 1337],
  gid: [1, { from: 3, to: 5 }, { from: 256, to: 300 }],
}

const dataOf = fc.oneof(
  fc.constantFrom(...setTypes).chain((type) => values[type].map((value): [string, unknown] => [type, value])),
  verdict.map((each): [string, unknown] => ['verdict', each]),
)

/** A set or map of any types; `undefined` for what the checks refuse. */
const namedSet = (name: string): fc.Arbitrary<NamedSet | undefined> =>
  fc
    .record({
      types: fc.array(fc.constantFrom(...setTypes), { minLength: 1, maxLength: 3 }),
      ranges: fc.boolean(),
      data: fc.option(dataOf, { nil: undefined }),
    })
    // Of several parts nft 1.0.6 reads the ends of ranges in the order of the network only.
    .map(({ ranges, ...rest }) => ({
      ...rest,
      interval:
        ranges && (rest.types.length === 1 || rest.types.every((type) => type.startsWith('i') && type !== 'ifname')),
    }))
    .chain(({ types, interval, data }) => {
      const parts = types.map((type) => (interval ? fc.constantFrom(...apart[type]) : values[type]))
      const key = fc.tuple(...parts).map((list) => (list.length === 1 ? list[0] : list))
      // nft does not show the comment of an interval that ends with the last value there is.
      const ends = interval && types.length === 1 ? apart[types[0] ?? 'mark'].at(-1) : undefined
      const element = fc
        .record({ key, comment: text }, { requiredKeys: ['key'] })
        .map((each) => (each.key === ends ? { key: each.key } : each))
      const elements = fc.uniqueArray(element, { maxLength: 12, selector: (each) => JSON.stringify(each.key) })
      const spec = { size: fc.integer({ min: 100, max: 999 }), comment: text, elements }
      return fc.record(spec, { requiredKeys: [] }).map((rest) => {
        const given = {
          ...{ ...rest, name, key: types.length === 1 ? types[0] : types },
          ...(interval ? { interval } : {}),
          ...(data === undefined ? {} : { data: data[0] }),
          ...(rest.elements && data ? { elements: rest.elements.map((each) => ({ ...each, data: data[1] })) } : {}),
        }
        try {
          // What is wrong with it is found here.
          const set = canonicalSet(given as NamedSet, 't')
          const keys = new Set(set.elements?.map((each) => JSON.stringify(each.key)))
          return keys.size === (set.elements?.length ?? 0) ? set : undefined
        } catch {
          return undefined
        }
      })
    })

function tableOf(family: Family, number: number): fc.Arbitrary<Table> {
  const rules = fc.array(ruleOf(family), { maxLength: 6 })
  const chain = fc.record({ name: fc.constantFrom('a', 'b', 'c'), rules })
  const base = fc
    .record({ at: fc.nat(bases.length - 1), policy: fc.constantFrom('accept', 'drop') })
    .map(({ at, policy }): Chain => ({ name: `base${at}`, base: bases[at] ?? bases[0], policy, rules: [] }))
  return fc
    .record({
      sets: fc.tuple(namedSet('s0'), namedSet('s1')),
      chains: fc.uniqueArray(fc.oneof(chain, base), { maxLength: 4, selector: ({ name: each }) => each }),
    })
    .map(({ chains, sets }) => ({
      family,
      name: `t${number}`,
      sets: sets.filter(isThere),
      chains: [{ name: 'target', rules: [] }, ...chains],
    }))
}

/**
 * Rulesets in canonical form. Their rules stand where no packet comes, for all to be allowed: base chains are empty, and
 * all jumps are to an empty chain.
 */
export const rulesets: fc.Arbitrary<Ruleset> = fc
  .array(fc.constantFrom('inet', 'ip', 'ip6'), { minLength: 1, maxLength: 3 })
  .chain((families) => fc.tuple(...families.map((family, at) => tableOf(family, at))))
  .map((tables) => ({ tables }))
