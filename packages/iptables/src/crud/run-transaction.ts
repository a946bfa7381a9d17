import { edit } from '../apply/edit.ts'
import type { Journal } from '../apply/journal.ts'
import { orRollBack } from '../apply/restore-snapshot.ts'
import type { SavedTables } from '../parse/saved-tables.ts'
import type { Session } from '../session/session.ts'
import { transitionSteps } from '../state/transition.ts'
import { DraftTables } from './draft-tables.ts'
import { collect, type Transaction } from './transaction.ts'

/** Runs a transaction. Plans all families before the first write. */
export async function runTransaction(
  session: Session,
  journal: Journal,
  fn: (t: Transaction) => unknown,
): Promise<void> {
  const steps = collect(fn)
  if (steps.length === 0) return
  const { chosen } = await session.backends()
  const plan = (before: SavedTables) => {
    const draft = new DraftTables(before)
    for (const step of steps) step(draft)
    draft.check(before)
    return transitionSteps(before, draft.snapshot)
  }
  const families = await session.families()
  await orRollBack(journal, edit(session, chosen, { families, plan, journal, stopIfUnchanged: true }))
}
