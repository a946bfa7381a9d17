import type { Verb } from '@cni/types'
import type { ExecutionReport } from './execution-report.ts'

/** A finished operation of a runtime, as plain data for logs and metrics. */
export interface OperationReport {
  readonly verb: Verb
  readonly network: string
  /** Container of the operation. Missing for GC and STATUS. */
  readonly containerID?: string
  /** Interface of the operation. Missing for GC and STATUS. */
  readonly ifName?: string
  /** Milliseconds from the call to its end, {@link OperationReport.waitedMs} included. */
  readonly durationMs: number
  /** Milliseconds that the operation waited for others on the same container or network. */
  readonly waitedMs: number
  /** Executions of plugins, in order, without `changes`. */
  readonly plugins: readonly ExecutionReport[]
  /** Error as the runtime's caller gets it. */
  readonly error?: { readonly code: number; readonly msg: string }
}
