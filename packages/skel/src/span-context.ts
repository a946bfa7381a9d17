/** The span a call is, in the terms of OpenTelemetry, and the W3C trace it belongs to. */
export interface SpanContext {
  /** 32 hexadecimal digits. */
  readonly traceId: string
  /** The span of this call: 16 hexadecimal digits. */
  readonly spanId: string
  /** The span of the caller. */
  readonly parentId: string
  /** Whether the caller records the trace. */
  readonly sampled: boolean
}
