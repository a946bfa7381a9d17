import type { CaptureConfig } from '@cni/istio-rules'
import type { Backend } from '../backend.ts'
import type { AttachmentRecord } from '../state/attachments.ts'

/** What `apply` did, as the log says it. */
export interface WriteReport {
  readonly plan: 'fresh' | 'reconcile' | 'replace' | 'unchanged'
  readonly families: AttachmentRecord['families']
  readonly backend: Backend
  readonly durationMs: number
}

/** What was done, and what only its caller has to know. */
export interface Written {
  readonly report: WriteReport
  /** True if the namespace certainly has no rules of the other kind. */
  readonly isAlone: boolean
  /** The kernel's count of changes of nf_tables as of the one that wrote all of the rules; `undefined` where there is no such. */
  readonly generation: number | undefined
}

/** Writes the rules of a configuration to a namespace. */
export interface FirstWriter {
  /** As what it is recorded. Fails where nothing could be written. */
  backend(): Promise<Backend>
  /** Exactly these rules, or an error that leaves what was there. Repeated: nothing is written. */
  apply(): Promise<Written>
}

/** Writes, verifies and removes the rules of a configuration. */
export interface RuleWriter extends FirstWriter {
  /** Rules as data that is compared by its JSON. */
  readonly rules: object
  /** Throws with the code of drift unless they are there. */
  verify(): Promise<void>
  remove(): Promise<void>
  /** Takes away what `apply` would leave of the rules of another configuration by this back end. */
  leaveBehind(earlier: CaptureConfig): Promise<void>
}
