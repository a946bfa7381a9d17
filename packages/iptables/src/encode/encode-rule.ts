import type { Expression, RuleSpec } from '@cni/nftables/wire'
import { protocolId } from '../parse/node-names.ts'
import { rate } from '../parse/normalize-rate.ts'
import type { Family, Match, Rule } from '../rules/model.ts'
import { compare, counter, loadProtocol, rateUnits, USUAL_BURST } from '../xt/expressions.ts'
import { addressExpressions, interfaceExpressions, matchExpression, transportExpressions } from './encode-matches.ts'
import { targetExpressions } from './encode-targets.ts'

/** nf_tables rule with bytes that all versions of iptables can read. */
export interface EncodedRule {
  readonly expressions: readonly Expression[]
  readonly compat: NonNullable<RuleSpec['compat']>
}

/** Encodes a rule for netlink; `undefined` if only an iptables program can write it. */
export function encodeRule({ matches, target }: Rule, family: Family): EncodedRule | undefined {
  const general: General = {}
  const body: Expression[] = []
  const transport: Match[] = []
  let transportAt = 0
  for (const match of matches) {
    switch (match.match) {
      case 'in':
      case 'out':
        general[match.match] = match
        break
      case 'src':
      case 'dst':
        general[match.match] = match
        break
      case 'proto':
        general.proto = match
        break
      case 'sport':
      case 'dport':
      case 'tcpFlags':
      case 'syn':
        // Port and TCP flag options become one match, at the position of the first option.
        if (transport.push(match) === 1) transportAt = body.length
        break
      default: {
        const found =
          match.match === 'limit' ? limitExpression(match.rate, match.burst) : matchExpression(match, family)
        if (found === undefined) return undefined
        body.push(found)
      }
    }
  }
  const { proto } = general
  const protocol = proto === undefined ? 0 : protocolNumber(proto.protocol)
  const ofTransport = transport.length === 0 ? [] : transportExpressions(protocol, transport)
  const head = protocol === undefined ? undefined : headOf(general, family, protocol)
  const end = targetExpressions(target, family)
  if (protocol === undefined || head === undefined || ofTransport === undefined || end === undefined) return undefined
  body.splice(transportAt, 0, ...ofTransport)
  return {
    expressions: [...head, ...body, counter, ...end],
    compat: { protocol, inverted: proto?.not === true },
  }
}

/** General options of a rule, such as `-i`. If a rule repeats an option, the last one counts. */
interface General {
  in?: Match & { match: 'in' | 'out' }
  out?: Match & { match: 'in' | 'out' }
  src?: Match & { match: 'src' | 'dst' }
  dst?: Match & { match: 'src' | 'dst' }
  proto?: Match & { match: 'proto' }
}

function protocolNumber(protocol: string): number | undefined {
  const id = protocolId(protocol)
  return /^\d+$/.test(id) ? Number(id) : undefined
}

/** Encodes a rule's general options, such as `-i` and `-s`, in the order that iptables uses. */
function headOf(
  { in: input, out: output, src: source, dst: destination, proto }: General,
  family: Family,
  protocol: number,
): Expression[] | undefined {
  const from = source === undefined ? [] : addressExpressions(source, family)
  const to = destination === undefined ? [] : addressExpressions(destination, family)
  return (
    from &&
    to && [
      ...(input === undefined ? [] : interfaceExpressions(input)),
      ...(output === undefined ? [] : interfaceExpressions(output)),
      ...(proto === undefined ? [] : [loadProtocol, compare(Uint8Array.of(protocol), proto.not)]),
      ...from,
      ...to,
    ]
  )
}

function limitExpression(text: string, burst = USUAL_BURST): Expression | undefined {
  const [count, unit = ''] = rate(text).split('/')
  const seconds = rateUnits[unit]
  return seconds === undefined ? undefined : { name: 'limit', rate: BigInt(count ?? 0), unit: seconds, burst }
}
