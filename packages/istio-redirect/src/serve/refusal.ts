/** Reasons for which the agent refuses to decide about an ADD. */
export const REFUSALS = [
  /** The plugin and the agent are of different versions. */
  'version',
  /** The request is malformed. */
  'request',
  /** The agent does not know the pod. The plugin asks the API server, and reports the error. */
  'pod',
  /** Ambient mode may choose the pod. The plugin reads the pod's namespace, and announces the pod to the agent. */
  'ambient',
  /** The pod needs more rules than the agent encodes as a batch. */
  'rules',
  /** Internal error of the agent. */
  'internal',
] as const

/** Reason for which the agent refuses to decide: one of {@link REFUSALS}. */
export type RefusalReason = (typeof REFUSALS)[number]

/** Refusal of the agent to decide about an ADD. The plugin then decides by itself. */
export class Refusal extends Error {
  readonly reason: RefusalReason
  /** Explanation of the refusal, for the log. */
  readonly detail: string | undefined

  static {
    Refusal.prototype.name = 'Refusal'
  }

  constructor(reason: RefusalReason, detail?: string) {
    super(detail ?? reason)
    this.reason = reason
    this.detail = detail
  }
}
