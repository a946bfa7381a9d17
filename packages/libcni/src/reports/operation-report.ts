import type { Verb } from '@cni/types'
import type { ExecutionReport } from './execution-report.ts'

/** Report of a finished operation as plain data, for logs and metrics. */
export interface OperationReport {
  readonly verb: Verb
  readonly network: string
  /** Container id of the operation's attachment. Missing for GC and STATUS. */
  readonly containerID?: string
  /** Interface name of the operation's attachment. Missing for GC and STATUS. */
  readonly ifName?: string
  /** Duration of the operation in milliseconds, including the waiting time {@link OperationReport.waitedMs}. */
  readonly durationMs: number
  /** Milliseconds that the operation waited for earlier operations on the same container or network. */
  readonly waitedMs: number
  /** Reports of the operation's plugin calls, in order, without `changes`. */
  readonly plugins: readonly ExecutionReport[]
  /** Error with which the operation failed, with the code and message that the caller sees. */
  readonly error?: { readonly code: number; readonly msg: string }
}
