import type { CaptureConfig } from '@cni/istio-rules'
import type { ApplyPlan, Backend } from '../backend.ts'
import type { AttachmentRecord } from '../state/attachments.ts'

/** Result of `apply` for the log. */
export interface WriteReport {
  readonly plan: ApplyPlan
  readonly families: AttachmentRecord['families']
  readonly backend: Backend
  readonly durationMs: number
}

/** Result of `apply` for its caller. */
export interface Written {
  readonly report: WriteReport
  /** True if the namespace certainly has no rules of the other back end. */
  readonly isAlone: boolean
  /**
   * Generation of nf_tables after the batch that wrote all rules. `undefined` if the rules were not written by one
   * batch.
   */
  readonly generation: number | undefined
}

/** Writes the rules of a configuration to a namespace. */
export interface FirstWriter {
  /** Back end for the record. Rejects if no back end is usable. */
  backend(): Promise<Backend>
  /** Writes exactly these rules. Rolls back on an error. Repeated calls write nothing. */
  apply(): Promise<Written>
}

/** Writes, verifies and removes the rules of a configuration. */
export interface RuleWriter extends FirstWriter {
  /** Rules as data. Two of them are compared by their JSON. */
  readonly rules: object
  /** Throws the error code of drift if the rules differ. */
  verify(): Promise<void>
  remove(): Promise<void>
  /** Removes rules of an earlier configuration that `apply` leaves in this back end. */
  leaveBehind(earlier: CaptureConfig): Promise<void>
}
