import type { SavedTables } from '../parse/saved-tables.ts'
import type { Family } from '../rules/model.ts'
import type { Backend } from '../run/backend.ts'
import type { Session } from '../run/session.ts'
import { withoutDangling } from '../state/revert.ts'
import { transitionText } from '../state/transition.ts'
import { writeUntilAccepted } from './write-until-accepted.ts'

/**
 * Rewrites one family to what `target` makes of its current rules. It undoes what was written, so an abort of the caller
 * does not stop it.
 */
export async function rewriteFamily(
  session: Session,
  backend: Backend,
  family: Family,
  target: (now: SavedTables) => SavedTables,
): Promise<void> {
  await writeUntilAccepted({
    read: () => session.snapshot(backend, family, uncancelled),
    plan: (now) => transitionText(now, withoutDangling(now, target(now))),
    write: (_, text) => session.restore(backend, family, text, uncancelled),
  })
}

// internal

const uncancelled = { uncancelled: true } as const
