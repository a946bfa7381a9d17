/** Reasons for which the agent refuses to decide about an ADD. */
export const REFUSALS = [
  /** Refusal: the plugin and the agent are of different versions. */
  'version',
  /** Refusal: the plugin's request is malformed. */
  'request',
  /** Refusal: the agent does not know the pod, so the plugin asks the API server. */
  'pod',
  /** Refusal: the pod may be ambient. The plugin then reads the pod's Kubernetes namespace. */
  'ambient',
  /** Refusal: the pod needs more rules than the agent encodes as a batch. */
  'rules',
  /** Refusal: an internal error of the agent. */
  'internal',
] as const

/** Reason for which the agent refuses to decide: one of {@link REFUSALS}. */
export type RefusalReason = (typeof REFUSALS)[number]

/** Refusal of the agent to decide about an ADD. After a refusal, the plugin decides by itself. */
export class Refusal extends Error {
  readonly reason: RefusalReason
  /** Explanation of the agent's refusal, for the plugin's log. */
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
