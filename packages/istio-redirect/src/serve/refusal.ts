/** Why the agent does not decide about an ADD. */
export const REFUSALS = [
  /** The plugin is of another version of these packages. */
  'version',
  /** It is no request. */
  'request',
  /** What the pod is cannot be said now: the plugin asks, and says what is wrong. */
  'pod',
  /** Ambient mode may choose the pod: the plugin asks about its namespace, and announces it. */
  'ambient',
  /** The pod asks for more rules than the agent makes. */
  'rules',
  /** Something that should not happen did. */
  'internal',
] as const

/** One of {@link REFUSALS}. */
export type RefusalReason = (typeof REFUSALS)[number]

/** The agent does not decide about an ADD: the plugin has to. */
export class Refusal extends Error {
  readonly reason: RefusalReason
  /** For people. */
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
