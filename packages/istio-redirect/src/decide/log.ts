import type { LogFields } from '@cni/skel'

/** Log that a decision about an ADD writes to. The log of every CNI call has this type. */
export interface DecisionLog {
  debug(message: string, fields?: LogFields): void
  info(message: string, fields?: LogFields): void
  warn(message: string, fields?: LogFields): void
  error(message: string, fields?: LogFields): void
}
