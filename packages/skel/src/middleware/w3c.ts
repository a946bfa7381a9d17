/** Parsed environment variable `TRACEPARENT` (W3C trace context). */
export interface TraceParent {
  readonly traceId: string
  readonly parentId: string
  /** Trace flags as bits. Contains only the flags `sampled` and `random`. */
  readonly flags: number
}

/** Parses a W3C `traceparent`. Takes only the fields of version 00 from later versions. */
export function parseTraceParent(text: string | undefined): TraceParent | undefined {
  const match = /^([\da-f]{2})-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})(-.*)?$/s.exec(text ?? '')
  if (match === null) return undefined
  const [, version, traceId = '', parentId = '', flags = '', more] = match
  if (version === 'ff' || (version === '00' && more !== undefined)) return undefined
  if (/^0+$/.test(traceId) || /^0+$/.test(parentId)) return undefined
  // Keeps the trace flags `sampled` and `random`, and drops flags of later versions of the format.
  return { traceId, parentId, flags: Number.parseInt(flags, 16) & 3 }
}

/** True for a valid W3C `tracestate`: up to 32 members `key=value`, each key once. */
export function isTraceState(text: string): boolean {
  const members = text.split(',').map((member) => member.replace(/^[ \t]+|[ \t]+$/g, ''))
  const filled = members.filter(Boolean)
  const keys = new Set(filled.map((member) => member.split('=', 1)[0]))
  return filled.length > 0 && filled.length <= 32 && keys.size === filled.length && filled.every(isStateMember)
}

/** True for a valid W3C `baggage`: members `key=value` with properties, at most 8192 bytes. */
export function isBaggage(text: string): boolean {
  if (text === '' || text.length > 8192) return false
  const members = text.split(',')
  return members.length <= 180 && members.every(isBaggageMember)
}

function isStateMember(member: string): boolean {
  // A value in `tracestate` may contain spaces, but not end with a space.
  return /^(?:[a-z][a-z\d_*/-]{0,255}|[a-z\d][a-z\d_*/-]{0,240}@[a-z][a-z\d_*/-]{0,13})=[ -+\--<>-~]{0,255}[!-+\--<>-~]$/.test(
    member,
  )
}

function isBaggageMember(member: string): boolean {
  const [pair = '', ...properties] = member.split(';')
  return PAIR.test(pair) && properties.every((property) => PROPERTY.test(property))
}

const TOKEN = "[ \\t]*[!#$%&'*+.^_`|~\\w-]+[ \\t]*"
const VALUE = '=[ \\t]*[!#-+\\--:<-[\\]-~]*[ \\t]*'
const PAIR = new RegExp(`^${TOKEN}${VALUE}$`)
const PROPERTY = new RegExp(`^${TOKEN}(?:${VALUE})?$`)
