import { readBe32, readBe64 } from '@cni/netns/netlink'
import { decodeExpressions } from '../wire/expressions/expression.ts'
import type { Expression } from '../wire/expressions/expression-types.ts'
import { familyWord } from '../wire/family.ts'
import { NFTA_RULE } from './fake-numbers.ts'
import { FakeRefusal, offsetOf, refuse, startsOf } from './fake-refusal.ts'
import { type FakeRule, type FakeTable, jumpOf } from './fake-state.ts'

const NLA_HDRLEN = 4
const MAX_DEPTH = 16

/** Expressions of a new rule, as the fake kernel stores them. Refuses references to missing chains and sets. */
export function ruleExpressions(table: FakeTable, body: Buffer, all: ReadonlyMap<number, Buffer>): Expression[] {
  const bytes = all.get(NFTA_RULE.EXPRESSIONS)
  if (bytes === undefined) return []
  const start = (offsetOf(body, NFTA_RULE.EXPRESSIONS) ?? 0) + NLA_HDRLEN
  const starts = startsOf(bytes)
  return decodeExpressions(bytes).map((expression, i) => {
    const offset = start + (starts[i]?.[1] ?? 0)
    const jump = jumpOf(expression)
    if (jump !== undefined && !table.chains.has(jump)) throw new FakeRefusal('ENOENT', offset)
    if (expression.name === 'lookup') return resolved(table, expression, offset)
    const xt = expression.name === 'match' || expression.name === 'target'
    // Refuses unknown xt modules, and all xt modules outside of `ip` and `ip6` tables, as the kernel does.
    if (xt && (familyWord(table.family) === 'inet' || !MODULES.has(expression.module)))
      throw new FakeRefusal('ENOENT', offset)
    if (expression.name === 'raw') throw new FakeRefusal('ENOENT', offset)
    return expression
  })
}

const MODULES = new Set([
  ...['tcp', 'udp', 'multiport', 'owner', 'conntrack', 'state', 'mark', 'connmark', 'socket', 'addrtype', 'comment'],
  ...['iprange', 'pkttype', 'mac', 'icmp', 'icmp6', 'length', 'statistic', 'set', 'limit', 'tcpmss', 'physdev'],
  ...['REDIRECT', 'MASQUERADE', 'SNAT', 'DNAT', 'TPROXY', 'MARK', 'CONNMARK', 'CT', 'REJECT', 'LOG', 'TCPMSS', 'NFLOG'],
])

function resolved(table: FakeTable, { setId, ...lookup }: Expression & { name: 'lookup' }, offset: number): Expression {
  const byId = setId === undefined ? undefined : [...table.sets.values()].find(({ id }) => id === setId)
  const set = table.sets.get(lookup.set) ?? byId
  if (set === undefined) throw new FakeRefusal('ENOENT', offset)
  return { ...lookup, set: set.name }
}

/** Rules of a chain after a new rule is inserted at the position that the message asks for. */
export function placed(
  rules: readonly FakeRule[],
  rule: FakeRule,
  append: boolean,
  body: Buffer,
  all: ReadonlyMap<number, Buffer>,
): FakeRule[] {
  const handle = readBe64(all.get(NFTA_RULE.POSITION))
  const id = readBe32(all.get(NFTA_RULE.POSITION_ID))
  if (handle === undefined && id === undefined) return append ? [...rules, rule] : [rule, ...rules]
  const at = rules.findIndex((each) => (handle === undefined ? each.id === id : each.handle === handle))
  if (at < 0) refuse('ENOENT', body, handle === undefined ? NFTA_RULE.POSITION_ID : NFTA_RULE.POSITION)
  const before = append ? at + 1 : at
  return [...rules.slice(0, before), rule, ...rules.slice(before)]
}

/** Refuses loops, jumps that are too deep, and NAT outside nat chains. */
export function validate(table: FakeTable): void {
  const visit = (name: string, type: string, depth: number): void => {
    if (depth > MAX_DEPTH) throw new FakeRefusal('EMLINK')
    for (const { expressions } of table.chains.get(name)?.rules ?? []) {
      for (const expression of expressions) {
        if (NAT.has(nameOf(expression)) && type !== 'nat') throw new FakeRefusal('EOPNOTSUPP')
        const jump = jumpOf(expression)
        if (jump !== undefined) visit(jump, type, depth + 1)
      }
    }
  }
  for (const { name, base } of table.chains.values()) if (base !== undefined) visit(name, base.type, 0)
}

const NAT = new Set(['nat', 'masq', 'redir', 'REDIRECT', 'MASQUERADE', 'SNAT', 'DNAT'])

function nameOf(expression: Expression): string {
  return expression.name === 'target' ? expression.module : expression.name
}
