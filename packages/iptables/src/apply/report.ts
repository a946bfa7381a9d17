import type { Family } from '../rules/model.ts'
import type { Change } from './change.ts'

/** What `apply` did. */
export interface ApplyReport extends Change {
  /** `fresh`: nothing of ours was there. `reconcile`: something was, and differed. `unchanged`: nothing was written. */
  readonly plan: 'fresh' | 'reconcile' | 'unchanged'
  /** The families in which the ruleset stands now. */
  readonly families: readonly Family[]
}
