import type { CallContext } from '../definition/context.ts'
import type { EnvVars } from '../protocol/environment.ts'
import type { Middleware } from './use.ts'
import { isBaggage, isTraceState, parseTraceParent } from './w3c.ts'

/**
 * Middleware that makes the CNI call a span of a trace.
 * - Handlers get `c.span`.
 * - Later log lines have `trace_id` and `span_id`.
 * - Delegates get the span of the call as their parent, through `c.env`.
 *
 * Without a valid trace in `TRACEPARENT` the middleware does nothing.
 *
 * @example
 * ```ts
 * use(plugin, span())
 * ```
 */
export function span(): Middleware {
  return async function span(c, next) {
    const found = parseTraceParent(c.env.TRACEPARENT)
    const env = { ...c.env, ...validated(c.env) }
    if (found === undefined) return next({ env })
    const { traceId, parentId, flags } = found
    const own: NonNullable<CallContext['span']> = { traceId, spanId: newSpanId(), parentId, sampled: (flags & 1) === 1 }
    c.log.bind({ trace_id: traceId, span_id: own.spanId })
    const TRACEPARENT = `00-${traceId}-${own.spanId}-${flags.toString(16).padStart(2, '0')}`
    return next({ span: own, env: { ...env, TRACEPARENT } })
  }
}

/**
 * Unsets malformed trace variables. `TRACESTATE` is unset without a valid `TRACEPARENT`; `BAGGAGE` does not need one.
 */
function validated({ TRACEPARENT, TRACESTATE, BAGGAGE }: EnvVars): EnvVars {
  const hasTrace = parseTraceParent(TRACEPARENT) !== undefined
  return {
    ...(TRACEPARENT !== undefined && !hasTrace && { TRACEPARENT: undefined }),
    ...(TRACESTATE !== undefined && !(hasTrace && isTraceState(TRACESTATE)) && { TRACESTATE: undefined }),
    ...(BAGGAGE !== undefined && !isBaggage(BAGGAGE) && { BAGGAGE: undefined }),
  }
}

function newSpanId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(8))
  // Prevents a span id that consists only of zeros, because such an id is invalid.
  bytes[7] ||= 1
  return Buffer.from(bytes).toString('hex')
}
