import type { Family } from '../rules/model.ts'
import { holdsOurs, type Wanted } from '../state/wanted.ts'
import type { Planned } from '../steps/write-until-accepted.ts'
import type { Change } from './change.ts'

/** Result of `apply`. */
export interface ApplyReport extends Change {
  /** `fresh`: no own rules existed. `reconcile`: own rules existed and differed. `unchanged`: nothing was written. */
  readonly plan: 'fresh' | 'reconcile' | 'unchanged'
  /** Families that hold the ruleset after the call. */
  readonly families: readonly Family[]
  /**
   * The kernel's count of changes to nf_tables (its generation) before this change, for the namespace. 1 means that no
   * program had changed nf_tables. `undefined` if programs wrote the rules.
   */
  readonly generation?: number | undefined
}

/** Plan that was used for one family. */
export function planOf(wanted: Wanted, { seen, steps }: Planned): ApplyReport['plan'] {
  if (steps.size === 0) return 'unchanged'
  return holdsOurs(wanted, seen) ? 'reconcile' : 'fresh'
}

/** Plan for all families: their plan if all have the same one, otherwise `reconcile`. */
export function overall(plans: readonly ApplyReport['plan'][]): ApplyReport['plan'] {
  const [first = 'unchanged', ...rest] = new Set(plans)
  return rest.length === 0 ? first : 'reconcile'
}
