/** Exit codes of the commands `istio-redirect rules`, `trace` and `check`. */
export const exitCodes = {
  ok: 0,
  /** The input is invalid, or the command failed. */
  failed: 1,
  usage: 2,
  /** The pod gets no rules. The command prints the reason on stderr. */
  skipped: 3,
  /** `trace`: the rules drop or reject the packet. `check`: the namespace differs from the pod's rules. */
  negative: 4,
  /** `trace`: the packet's path depends on a value that the command does not know. */
  undecided: 5,
} as const

/** Exit code of a command: one of {@link exitCodes}. */
export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes]
