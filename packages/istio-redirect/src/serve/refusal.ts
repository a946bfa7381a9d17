/** Why the agent does not decide about an ADD. */
export const REFUSALS = [
  /** The plugin is of another version of these packages. */
  'version',
  /** The request is malformed. */
  'request',
  /** The pod is not found: the plugin asks the API server, and reports the error. */
  'pod',
  /** Ambient mode may choose the pod: the plugin asks about its namespace, and announces it. */
  'ambient',
  /** The pod asks for more rules than the agent makes. */
  'rules',
  /** Fault of the agent. */
  'internal',
] as const

/** One of {@link REFUSALS}. */
export type RefusalReason = (typeof REFUSALS)[number]

/** The agent does not decide about an ADD: the plugin has to. */
export class Refusal extends Error {
  readonly reason: RefusalReason
  /** Text for people. */
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
