import type { CaptureConfig } from '@cni/istio-rules'
import type { ApplyPlan, Backend } from '../backend.ts'
import type { AttachmentRecord } from '../state/attachments.ts'

/** Data for the log line after a pod's rules are written: plan, families, back end and duration. */
export interface WriteReport {
  readonly plan: ApplyPlan
  readonly families: AttachmentRecord['families']
  readonly backend: Backend
  readonly durationMs: number
}

/** Result of writing a pod's rules: data for the log line, and facts for the attachment record. */
export interface Written {
  readonly report: WriteReport
  /** True if the namespace certainly has no rules of another back end. */
  readonly isAlone: boolean
  /** Generation of nf_tables after the only netlink batch. `undefined` after several batches or programs. */
  readonly generation: number | undefined
}

/** Writes the redirection rules of a configuration to a pod's namespace. */
export interface FirstWriter {
  /** Returns the back end for the record of the attachment. Rejects if no back end is usable. */
  backend(): Promise<Backend>
  /** Writes exactly the rules of the configuration. Rolls back on an error. A repeated call writes nothing. */
  apply(): Promise<Written>
}

/** Writes, verifies and removes the redirection rules of a configuration in a pod's namespace. */
export interface RuleWriter extends FirstWriter {
  /** Rules of the configuration as data, compared as JSON. */
  readonly rules: object
  /** Throws a CNI error for drift if the namespace's rules differ from the configuration. */
  verify(): Promise<void>
  remove(): Promise<void>
  /** Removes earlier rules that `apply` does not replace, in the writer's own back end. */
  removeObsolete(earlier: CaptureConfig): Promise<void>
}
