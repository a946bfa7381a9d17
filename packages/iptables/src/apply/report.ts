import type { Family } from '../rules/model.ts'
import { type DesiredState, holdsOurs } from '../state/desired.ts'
import type { Planned } from '../steps/write-until-accepted.ts'
import type { Change } from './change.ts'

/** Report of an `apply` call. */
export interface ApplyReport extends Change {
  /**
   * Kind of write:
   * - `fresh`: the kernel held no rules of the ruleset.
   * - `reconcile`: the call corrected the kernel's rules.
   * - `unchanged`: no rule was written.
   */
  readonly plan: 'fresh' | 'reconcile' | 'unchanged'
  /** Families that hold the ruleset after the call. */
  readonly families: readonly Family[]
  /**
   * Generation of nf_tables before the write: the kernel's counter of changes. The value 1 means that no program had
   * changed nf_tables before. `undefined` if iptables programs wrote the rules.
   */
  readonly generation?: number | undefined
}

/** Computes the member `plan` of the `apply` report for one family. */
export function planOf(desired: DesiredState, { seen, steps }: Planned): ApplyReport['plan'] {
  if (steps.size === 0) return 'unchanged'
  return holdsOurs(desired, seen) ? 'reconcile' : 'fresh'
}

/**
 * Computes the member `plan` of the `apply` report for all families. Returns `reconcile` if the families have different
 * plans.
 */
export function overall(plans: readonly ApplyReport['plan'][]): ApplyReport['plan'] {
  const [first = 'unchanged', ...rest] = new Set(plans)
  return rest.length === 0 ? first : 'reconcile'
}
