import type { Family } from '../rules/model.ts'
import { holdsOurs, type Wanted } from '../state/wanted.ts'
import type { Planned } from '../steps/write-until-accepted.ts'
import type { Change } from './change.ts'

/** What `apply` did. */
export interface ApplyReport extends Change {
  /** `fresh`: nothing of ours was there. `reconcile`: something was, and differed. `unchanged`: nothing was written. */
  readonly plan: 'fresh' | 'reconcile' | 'unchanged'
  /** The families in which the ruleset stands now. */
  readonly families: readonly Family[]
  /**
   * The kernel's count of changes of nf_tables in the namespace, before this one; at 1 nobody had ever made any. `undefined`
   * where programs did it.
   */
  readonly generation?: number | undefined
}

/** One word for what was done to a family. */
export function planOf(wanted: Wanted, { seen, steps }: Planned): ApplyReport['plan'] {
  if (steps.size === 0) return 'unchanged'
  return holdsOurs(wanted, seen) ? 'reconcile' : 'fresh'
}

/** One word for all families: the same in each, or a reconciliation. */
export function overall(plans: readonly ApplyReport['plan'][]): ApplyReport['plan'] {
  const [first = 'unchanged', ...rest] = new Set(plans)
  return rest.length === 0 ? first : 'reconcile'
}
