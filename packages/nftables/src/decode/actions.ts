import { limitUnits, logFlags } from '../rules/actions.ts'
import type { Action, Limit, Log } from '../rules/statement.ts'
import type { Expressions } from '../wire/expressions/expression-types.ts'
import type { Verdict } from '../wire/fields/verdict.ts'
import type { Context } from './loads.ts'
import { type Reader, read } from './reading.ts'

/** Decodes a statement that consists of a single netlink expression: a counter, a verdict, a limit … */
export const readAction: Reader = ({ expressions, context }, at) => {
  const expression = expressions[at]
  const action = expression === undefined ? undefined : actionOf(expression, context)
  return action === undefined ? undefined : read(1, action)
}

function actionOf(expression: Parameters<Reader>[0]['expressions'][number], context: Context): Action | undefined {
  switch (expression.name) {
    case 'counter': {
      const { packets = 0n, bytes = 0n } = expression
      return {
        kind: 'counter',
        ...(packets === 0n ? {} : { packets }),
        ...(bytes === 0n ? {} : { bytes }),
      }
    }
    case 'notrack':
      return { kind: 'notrack' }
    case 'immediate':
      return expression.dreg === 0 && !(expression.data instanceof Uint8Array) ? verdict(expression.data) : undefined
    case 'limit':
      return limit(expression)
    case 'log':
      return log(expression)
    case 'reject':
      return reject(expression, context)
    default:
      return undefined
  }
}

function verdict(given: Verdict): Action | undefined {
  if (given.verdict === 'jump' || given.verdict === 'goto') return { kind: given.verdict, chain: given.chain }
  return given.verdict === 'break' ? undefined : { kind: given.verdict }
}

const units = new Map((Object.keys(limitUnits) as Limit['per'][]).map((word) => [BigInt(limitUnits[word]), word]))

function limit({ rate, unit, burst, type, flags = 0 }: Expressions['limit']): Limit | undefined {
  const per = units.get(unit)
  // Leaves a rate above `Number.MAX_SAFE_INTEGER` undecoded. The rule then contains the raw expression.
  if (per === undefined || flags > 1 || rate > Number.MAX_SAFE_INTEGER) return undefined
  return {
    ...{ kind: 'limit', rate: Number(rate), per, burst },
    ...(type === 'bytes' ? { of: 'bytes' } : {}),
    ...(flags === 1 ? { over: true } : {}),
  }
}

/** Default log level, for a rule without a log level. */
const USUAL_LEVEL = 4

function log({ prefix, level, flags = 0, group, snaplen, qthreshold }: Expressions['log']): Log | undefined {
  const words = logFlags.filter(([, bit]) => (flags & bit) !== 0)
  if (words.reduce((sum, [, bit]) => sum | bit, 0) !== flags || (level ?? 0) > 8) return undefined
  return {
    kind: 'log',
    ...(prefix === undefined ? {} : { prefix }),
    ...(level === undefined || level === USUAL_LEVEL ? {} : { level }),
    ...(words.length === 0 ? {} : { flags: words.map(([word]) => word) }),
    ...(group === undefined ? {} : { group }),
    ...(snaplen === undefined || snaplen === 0 ? {} : { snaplen }),
    ...(qthreshold === undefined || qthreshold === 0 ? {} : { threshold: qthreshold }),
  }
}

function reject({ type, code = 0 }: Expressions['reject'], { network }: Context): Action | undefined {
  if (type === 'tcp-reset') return code === 0 ? { kind: 'reject', with: 'tcp reset' } : undefined
  if (type === 'icmpx') return { kind: 'reject', with: 'icmpx', code }
  return network === undefined ? undefined : { kind: 'reject', with: network === 'ip' ? 'icmp' : 'icmpv6', code }
}
