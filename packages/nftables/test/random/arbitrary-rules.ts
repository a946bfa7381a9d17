import fc from 'fast-check'
import { limitUnits } from '../../src/rules/actions.ts'
import { canonicalStatement } from '../../src/rules/canonical.ts'
import { complete } from '../../src/rules/complete.ts'
import { dataTypes } from '../../src/rules/data-type.ts'
import type { Rule } from '../../src/rules/model.ts'
import { selectors } from '../../src/rules/selector.ts'
import type { Statement } from '../../src/rules/statement.ts'
import type { Selector } from '../../src/rules/values.ts'
import {
  type Family,
  ipv4,
  ipv6,
  isThere,
  nameOf,
  networks,
  port,
  type Type,
  text,
  u32,
  values,
  verdict,
} from './arbitrary-values.ts'

/** Generator of random set keys, with one flag each because nft prints combinations in arbitrary order. */
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

/** Canonical form of a generated statement. `undefined` if the statement is invalid. */
function canonical(statement: unknown): Statement | undefined {
  try {
    // The type cast is safe, because `canonicalStatement` validates the statement.
    return canonicalStatement(statement as Statement, '')
  } catch {
    return undefined
  }
}

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

/** True if all keys begin with different flags, because nft otherwise prints the keys in arbitrary order. */
function isOrdered(elements: readonly { readonly key: unknown }[]): boolean {
  const firsts = elements.map(({ key }) => (Array.isArray(key) ? key[0] : key))
  return new Set(firsts).size === firsts.length
}

function vmapOf(on: Selector): fc.Arbitrary<Statement> {
  const element = fc.record({ key: keyFor(nameOf(on)), verdict })
  return fc
    .array(element, { minLength: 1, maxLength: 5 })
    .filter((elements) => on !== 'tcp flags' || isOrdered(elements))
    .map((elements) => ({ kind: 'vmap', on, map: { elements } }))
    .map(canonical)
    .filter(isThere)
}

const portOrRange = fc.oneof(
  port,
  fc.tuple(port, port).map(([a, b]) => ({ from: Math.min(a, b), to: Math.max(a, b) })),
)
const flags = fc.option(fc.subarray(['random', 'persistent', 'fully-random'], { minLength: 1 }), { nil: undefined })

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
  // Skips large rates, which overflow the kernel's 64 bits of nanoseconds.
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

/** Generator of random rules in canonical form, without contradicting statements. */
export function ruleOf(family: Family): fc.Arbitrary<Rule> {
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

/**
 * Keeps the generated statements that do not contradict earlier statements, and adds the conditions that these
 * statements need.
 */
function consistent(family: Family, statements: readonly Statement[]): readonly Statement[] {
  let kept: readonly Statement[] = []
  for (const statement of statements) {
    if (isReadOtherwise(statement, kept)) continue
    try {
      kept = complete(family, [...kept, statement])
    } catch {
      // Skips a statement that contradicts earlier statements, or needs a port without a protocol.
    }
  }
  return kept
}

/** True if nft would print the generated statement in another form after the statements `before`. */
function isReadOtherwise(statement: Statement, before: readonly Statement[]): boolean {
  const kind = statement.kind === 'vmap' ? statement.on : statement.kind
  const others = ['sctp', 'dccp', 'udplite']
  const isProtocol = (each: Statement) =>
    ['l4proto', 'ip protocol', 'ip6 nexthdr'].includes(each.kind) &&
    'value' in each &&
    !('op' in each) &&
    !others.includes(String(each.value))
  const last = before.at(-1)
  // True if the source port follows the destination port, because nft would swap them.
  const isSecond = kind.endsWith(' sport') && last?.kind === kind.replace('sport', 'dport')
  // True for the end of a pair such as `>=` and `<=`, which nft reads as one range.
  const isRange = last !== undefined && ranges.has(`${opOf(last)} ${opOf(statement)}`)
  return isSecond || isRange || (kind.startsWith('th ') && before.some(isProtocol))
}

const ranges = new Set(['>= <=', '< >'])
const opOf = (statement: Statement) => ('op' in statement ? statement.op : '')
