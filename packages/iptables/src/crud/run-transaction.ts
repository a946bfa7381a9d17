import type { Journal } from '../apply/journal.ts'
import { orTakeBack } from '../apply/restore-snapshot.ts'
import { settle } from '../apply/settle.ts'
import type { Family } from '../rules/model.ts'
import type { Backend } from '../run/backend.ts'
import { RestoreError } from '../run/failure.ts'
import type { Session } from '../run/session.ts'
import { transitionText } from '../state/transition.ts'
import { DraftTables } from './draft-tables.ts'
import { collect, type Step, type Transaction } from './transaction.ts'

/**
 * Runs a transaction: per family one read, the steps on a copy of it, and one write of what became different. All
 * families are planned before the first one is written; when one fails, the others are taken back.
 */
export async function runTransaction(session: Session, journal: Journal, fn: (t: Transaction) => void): Promise<void> {
  const steps = collect(fn)
  if (steps.length === 0) return
  const { chosen } = await session.backends()
  const plans = await settle((await session.families()).map((family) => plan(session, chosen, family, steps)))
  const writes = plans.map(async (first) => {
    let next = first
    for (let attempt = 1; ; attempt++) {
      try {
        return await journal.write(chosen, next.before, next.text)
      } catch (error) {
        // Someone changed a rule between our read and our write: plan again.
        if (attempt === 3 || !(error instanceof RestoreError) || error.line === undefined) throw error
        const again = await plan(session, chosen, next.before.family, steps)
        // The same again is not someone else's doing.
        if (again.text === next.text) throw error
        next = again
      }
    }
  })
  await orTakeBack(journal, settle(writes))
}

// internal

async function plan(session: Session, backend: Backend, family: Family, steps: readonly Step[]) {
  const before = await session.snapshot(backend, family)
  const draft = new DraftTables(before)
  for (const step of steps) step(draft)
  draft.check(before)
  return { before, text: transitionText(before, draft.snapshot) }
}
