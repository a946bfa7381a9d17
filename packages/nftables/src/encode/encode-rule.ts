import { complete } from '../rules/complete.ts'
import type { Rule } from '../rules/model.ts'
import { isMatch, type Match, type Statement } from '../rules/statement.ts'
import { encodeAction } from './encode-action.ts'
import { encodeMatch, encodePorts, encodeVmap } from './encode-match.ts'
import type { EncodeContext, Encoded, Sink } from './encoded.ts'

/** Encodes a rule as netlink expressions, exactly as nft 1.0.6 does. Throws `NftError('INVALID')`. */
export function encodeRule({ statements }: Rule, context: EncodeContext): Encoded {
  const sink: Sink = { expressions: [], sets: [], context }
  const completed = complete(context.family, statements)
  for (let at = 0; at < completed.length; at++) {
    const statement = completed[at]
    if (statement === undefined) continue
    if (isMatch(statement)) {
      const other = completed[at + 1]
      if (other !== undefined && isOtherPort(statement, other) && encodePorts(statement, other, sink)) at++
      else encodeMatch(statement, sink)
    } else if (statement.kind === 'vmap') encodeVmap(statement, sink)
    else if (statement.kind === 'raw') sink.expressions.push(...statement.expressions)
    else encodeAction(statement, sink)
  }
  return sink
}

// internal

const behindSource = new Map<string, string>([
  ['tcp sport', 'tcp dport'],
  ['udp sport', 'udp dport'],
  ['th sport', 'th dport'],
])

/** True if `other` is the condition on the destination port that belongs to a condition on the source port. */
function isOtherPort({ kind }: Match, other: Statement): other is Match {
  return behindSource.get(kind) === other.kind
}
