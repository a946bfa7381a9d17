import type { Family } from '../rules/model.ts'
import type { BackendKind } from '../run/backend.ts'

/** What `apply` did. */
export interface ApplyReport {
  /** `fresh`: nothing of ours was there. `reconcile`: something was, and differed. `unchanged`: nothing was written. */
  readonly plan: 'fresh' | 'reconcile' | 'unchanged'
  /** The families in which the ruleset stands now. */
  readonly families: readonly Family[]
  readonly backend: BackendKind
  readonly durationMs: number
}
