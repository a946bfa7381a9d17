import type { SavedTables } from '../parse/saved-tables.ts'
import type { Family } from '../rules/model.ts'
import type { Backend } from '../run/backend.ts'
import type { Session } from '../session/session.ts'
import { withoutDangling } from '../state/revert.ts'
import { transitionSteps } from '../state/transition.ts'
import { edit } from './edit.ts'

/** Replaces the rules of some families. Ignores the caller's abort, because rollbacks use this function. */
export async function rewrite(
  session: Session,
  backend: Backend,
  families: readonly Family[],
  target: (now: SavedTables) => SavedTables,
): Promise<void> {
  const plan = (now: SavedTables) => transitionSteps(now, withoutDangling(now, target(now)))
  await edit(session, backend, { families, plan, uncancelled: true })
}
