import type { LogFields } from '@cni/skel'

/** Where a decision says what it finds; the log of every call is one. */
export interface DecisionLog {
  debug(message: string, fields?: LogFields): void
  info(message: string, fields?: LogFields): void
  warn(message: string, fields?: LogFields): void
  error(message: string, fields?: LogFields): void
}
