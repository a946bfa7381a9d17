import type { Compat, Expression } from '@cni/nftables/wire'
import { protocolId } from '../parse/node-names.ts'
import { rate } from '../parse/normalize-rate.ts'
import type { Family, Match, Rule } from '../rules/model.ts'
import { addressExpressions, interfaceExpressions, matchExpression, transportExpression } from './encode-matches.ts'
import { targetExpressions } from './encode-targets.ts'
import { compare, counter, loadProtocol, rateUnits, USUAL_BURST } from './expressions.ts'

/** A rule as iptables-nft keeps it, ports and marks in the form that all versions read. */
export interface EncodedRule {
  readonly expressions: readonly Expression[]
  readonly compat: Compat
}

/** `undefined` for a rule of which something is not modelled: programs write it. */
export function encodeRule(rule: Rule, family: Family): EncodedRule | undefined {
  const { matches } = rule
  const protocolMatch = last(matches, 'proto')
  const protocol = protocolMatch === undefined ? undefined : numberOf(protocolMatch.protocol)
  if (protocolMatch !== undefined && protocol === undefined) return undefined
  const head = headOf(matches, family, protocol)
  const body = bodyOf(matches, family, protocol)
  const end = targetExpressions(rule.target, family)
  if (head === undefined || body === undefined || end === undefined) return undefined
  return {
    expressions: [...head, ...body, counter, ...end],
    compat: { protocol: protocol ?? 0, inverted: protocolMatch?.not === true },
  }
}

function numberOf(protocol: string): number | undefined {
  const id = protocolId(protocol)
  return /^\d+$/.test(id) ? Number(id) : undefined
}

/** The options of iptables itself stand in its order, wherever they were written. */
function headOf(matches: readonly Match[], family: Family, protocol: number | undefined): Expression[] | undefined {
  const list: Expression[] = []
  for (const kind of ['in', 'out'] as const) {
    const found = last(matches, kind)
    if (found !== undefined) list.push(...interfaceExpressions(found))
  }
  if (protocol !== undefined) list.push(loadProtocol, compare(Uint8Array.of(protocol), last(matches, 'proto')?.not))
  for (const kind of ['src', 'dst'] as const) {
    const found = last(matches, kind)
    if (found === undefined) continue
    const address = addressExpressions(found, family)
    if (address === undefined) return undefined
    list.push(...address)
  }
  return list
}

const HEAD: readonly Match['match'][] = ['in', 'out', 'proto', 'src', 'dst']
const TRANSPORT: readonly Match['match'][] = ['sport', 'dport', 'tcpFlags', 'syn']

/** Modules in the order in which they were loaded; that of the protocol where its first option stands. */
function bodyOf(matches: readonly Match[], family: Family, protocol: number | undefined): Expression[] | undefined {
  const list: Expression[] = []
  const transport = matches.filter(({ match }) => TRANSPORT.includes(match))
  for (const match of matches) {
    if (HEAD.includes(match.match) || (TRANSPORT.includes(match.match) && match !== transport[0])) continue
    const found =
      match === transport[0]
        ? transportExpression(protocol, transport)
        : match.match === 'limit'
          ? limitExpression(match.rate, match.burst)
          : matchExpression(match, family)
    if (found === undefined) return undefined
    list.push(found)
  }
  return list
}

function limitExpression(text: string, burst = USUAL_BURST): Expression | undefined {
  const [count, unit = ''] = rate(text).split('/')
  const seconds = rateUnits[unit]
  return seconds === undefined ? undefined : { name: 'limit', rate: BigInt(count ?? 0), unit: seconds, burst }
}

function last<K extends Match['match']>(matches: readonly Match[], kind: K): (Match & { match: K }) | undefined {
  return matches.findLast((match): match is Match & { match: K } => match.match === kind)
}
