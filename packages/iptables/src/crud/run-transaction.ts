import type { Journal } from '../apply/journal.ts'
import { orTakeBack } from '../apply/restore-snapshot.ts'
import { settle } from '../apply/settle.ts'
import { writeUntilAccepted } from '../apply/write-until-accepted.ts'
import type { SavedTables } from '../parse/saved-tables.ts'
import type { Session } from '../run/session.ts'
import { transitionText } from '../state/transition.ts'
import { DraftTables } from './draft-tables.ts'
import { collect, type TransactionSteps } from './transaction.ts'

/**
 * Runs a transaction: per family one read, the steps on a copy of it, and one write of what became different. All
 * families are planned before the first one is written; when one fails, the others are taken back.
 */
export async function runTransaction<T>(session: Session, journal: Journal, fn: TransactionSteps<T>): Promise<void> {
  const steps = collect(fn)
  if (steps.length === 0) return
  const { chosen } = await session.backends()
  const seenFirst = await settle((await session.families()).map((family) => session.snapshot(chosen, family)))
  const plan = (before: SavedTables) => {
    const draft = new DraftTables(before)
    for (const step of steps) step(draft)
    draft.check(before)
    return transitionText(before, draft.snapshot)
  }
  // Every family is planned before the first one is written.
  const planned = seenFirst.map((before) => ({ before, text: plan(before) }))
  const writes = planned.map(({ before, text }) => {
    let first: SavedTables | undefined = before
    return writeUntilAccepted({
      async read() {
        const seen = first ?? (await session.snapshot(chosen, before.family))
        first = undefined
        return seen
      },
      plan: (seen) => (seen === before ? text : plan(seen)),
      write: (seen, planned) => journal.write(chosen, seen, planned),
      stopAtSame: true,
    })
  })
  await orTakeBack(journal, settle(writes))
}
