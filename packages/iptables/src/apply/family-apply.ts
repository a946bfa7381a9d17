import type { SavedTables } from '../parse/saved-tables.ts'
import type { Family, Ruleset, Table } from '../rules/model.ts'
import type { Backend } from '../run/backend.ts'
import { RestoreError } from '../run/failure.ts'
import type { Session } from '../session/session.ts'
import { type DesiredState, desiredState } from '../state/desired.ts'
import { planSteps } from '../state/plan.ts'
import { unwritten } from '../state/revert.ts'
import { restoreText } from '../text/restore-text.ts'
import { edit } from './edit.ts'
import type { Journal } from './journal.ts'
import { type ApplyReport, planOf } from './report.ts'
import { rewrite } from './rewrite.ts'
import { canWriteFresh, textTables, writtenBeforeKill } from './text-tables.ts'

/** Steps of one `apply` call for one IP family: write without reading, reconciliation and rollback. */
export interface FamilyApply {
  readonly family: Family
  /** Writes the whole ruleset without reading rules first. Returns false if `reconcile` must follow. */
  fresh(): Promise<boolean>
  /** Reads the family's rules from the kernel. Writes only the changes that make these rules equal to the ruleset. */
  reconcile(): Promise<ApplyReport['plan']>
  /** Rolls back the writes. `alone` means that no earlier call wrote the ruleset. */
  rollBack(alone: boolean): Promise<void>
}

/** Creates the steps of `apply` for one family. `freshText` is the restore text that `fresh` writes. */
export function familyApply(
  session: Session,
  journal: Journal,
  backend: Backend,
  rules: Ruleset,
  family: Family,
  freshText: string = restoreText(rules, family),
): FamilyApply {
  const tables = textTables(freshText)
  let state: DesiredState | undefined
  // Computes the desired rules only when they are used, because `fresh` does not need them.
  const desired = () => {
    state ??= desiredState(rules, family)
    return state
  }
  /** Tables that `fresh` wrote; `unknown` if the restore program was killed. */
  let written: ReadonlySet<Table> | 'unknown' = new Set()

  return {
    family,
    async fresh() {
      if (!canWriteFresh(tables)) return false
      try {
        await session.restore(backend, family, freshText)
        written = new Set(tables.map(({ table }) => table))
        return true
      } catch (error) {
        if (!(error instanceof RestoreError) || !error.ran) throw error
        const { line } = error
        written =
          line === undefined
            ? 'unknown'
            : new Set(tables.filter((each) => each.commit < line).map(({ table }) => table))
        if (error.conflict) return false
        throw error
      }
    },
    async reconcile() {
      const plan = (snapshot: SavedTables) => planSteps(desired(), snapshot)
      const [found] = await edit(session, backend, { families: [family], plan, journal })
      if (found === undefined || found.attempts > 1 || !isNothing(written)) return 'reconcile'
      return planOf(desired(), found)
    },
    async rollBack(alone) {
      if (isNothing(written) && !journal.families.includes(family)) return
      await rewrite(session, backend, [family], (now) => {
        const target = journal.without(backend, now)
        const ours = written === 'unknown' ? writtenBeforeKill(desired(), target, tables, alone) : written
        return unwritten(target, rules, ours)
      })
    },
  }
}

// internal

const isNothing = (written: ReadonlySet<Table> | 'unknown') => written !== 'unknown' && written.size === 0
