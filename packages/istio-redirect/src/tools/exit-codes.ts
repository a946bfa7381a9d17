/** Exit codes of `rules`, `trace` and `check`. */
export const exitCodes = {
  ok: 0,
  /** Invalid input, or a failure. */
  failed: 1,
  usage: 2,
  /** The pod gets no rules. The reason is on stderr. */
  skipped: 3,
  /** `trace`: the packet is dropped or rejected. `check`: the namespace differs. */
  negative: 4,
  /** `trace`: the result depends on a value that is not known. */
  undecided: 5,
} as const

/** One of {@link exitCodes}. */
export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes]
