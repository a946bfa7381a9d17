/** How `rules`, `trace` and `check` end. */
export const exitCodes = {
  ok: 0,
  /** Bad input, or something did not work. */
  failed: 1,
  usage: 2,
  /** The pod gets no rules; stderr says why. */
  skipped: 3,
  /** `trace`: the packet is dropped or rejected. `check`: the namespace differs. */
  negative: 4,
  /** `trace`: it came to something that is not known. */
  undecided: 5,
} as const

/** One of {@link exitCodes}. */
export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes]
