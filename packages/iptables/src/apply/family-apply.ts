import type { SavedTables } from '../parse/saved-tables.ts'
import type { Family, Ruleset, Table } from '../rules/model.ts'
import type { Backend } from '../run/backend.ts'
import { RestoreError } from '../run/failure.ts'
import type { Session } from '../session/session.ts'
import { planSteps } from '../state/plan.ts'
import { unwritten } from '../state/revert.ts'
import { type Wanted, wantedState } from '../state/wanted.ts'
import { restoreText } from '../text/restore-text.ts'
import { edit } from './edit.ts'
import { mayTryFresh, textTables, writtenBeforeKill } from './fresh.ts'
import type { Journal } from './journal.ts'
import { type ApplyReport, planOf } from './report.ts'
import { rewrite } from './rewrite.ts'

/** Applying one family: what was done so far, and the way back. */
export interface FamilyApply {
  readonly family: Family
  /** Tries the fresh plan. `false`: it cannot be done blindly, `reconcile` has to do it. */
  fresh(): Promise<boolean>
  /** Reads, and writes what differs. */
  reconcile(): Promise<ApplyReport['plan']>
  /** Takes back what `fresh` and `reconcile` wrote. `alone`: another family had nothing of ours before. */
  back(alone: boolean): Promise<void>
}

/** Prepares one family. `freshText` is what the fresh plan writes, by default what `restoreText` prints. */
export function familyApply(
  session: Session,
  journal: Journal,
  backend: Backend,
  rules: Ruleset,
  family: Family,
  freshText: string = restoreText(rules, family),
): FamilyApply {
  const tables = textTables(freshText)
  let state: Wanted | undefined
  // Canonical rules are needed to compare; a fresh apply compares nothing.
  const wanted = () => {
    state ??= wantedState(rules, family)
    return state
  }
  /** Tables that the fresh plan wrote, and in which nothing of ours was before; `unknown` after a kill. */
  let written: ReadonlySet<Table> | 'unknown' = new Set()

  return {
    family,
    async fresh() {
      if (!mayTryFresh(tables)) return false
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
      const plan = (snapshot: SavedTables) => planSteps(wanted(), snapshot)
      const [found] = await edit(session, backend, { families: [family], plan, journal })
      if (found === undefined || found.attempts > 1 || !isNothing(written)) return 'reconcile'
      return planOf(wanted(), found)
    },
    async back(alone) {
      if (isNothing(written) && !journal.families.includes(family)) return
      await rewrite(session, backend, [family], (now) => {
        const target = journal.without(backend, now)
        const ours = written === 'unknown' ? writtenBeforeKill(wanted(), target, tables, alone) : written
        return unwritten(target, rules, ours)
      })
    },
  }
}

// internal

const isNothing = (written: ReadonlySet<Table> | 'unknown') => written !== 'unknown' && written.size === 0
