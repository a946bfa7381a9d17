import type { LogFields } from '@cni/skel'

/** Log of a decision. The log of every CNI call has this shape. */
export interface DecisionLog {
  debug(message: string, fields?: LogFields): void
  info(message: string, fields?: LogFields): void
  warn(message: string, fields?: LogFields): void
  error(message: string, fields?: LogFields): void
}
