import type { Verb } from '@cni/types'
import type { ExecutionReport } from './execution-report.ts'

/** One operation of a runtime, once it has ended: plain data, for logs and metrics. */
export interface OperationReport {
  readonly verb: Verb
  readonly network: string
  /** Missing for GC and STATUS. */
  readonly containerID?: string
  /** Missing for GC and STATUS. */
  readonly ifName?: string
  /** Milliseconds from the call to its end, those of {@link OperationReport.waitedMs} included. */
  readonly durationMs: number
  /** Milliseconds until its turn came: another operation worked on the same container or network. */
  readonly waitedMs: number
  /** The executions of plugins, in their order, without `changes`. */
  readonly plugins: readonly ExecutionReport[]
  /** Why it failed, as the runtime's caller is told it. */
  readonly error?: { readonly code: number; readonly msg: string }
}
