/** The trace a call belongs to, in the terms of the W3C recommendation. */
export interface TraceContext {
  /** 32 hexadecimal digits. */
  readonly traceId: string
  /** The span of this call: 16 hexadecimal digits. */
  readonly spanId: string
  /** The span of the caller. */
  readonly parentId: string
  /** Whether the caller records the trace. */
  readonly sampled: boolean
}
