import type { SavedTables } from '../parse/saved-tables.ts'
import type { Family, Ruleset } from '../rules/model.ts'
import type { Backend } from '../run/backend.ts'
import type { Session } from '../session/session.ts'
import { removedState } from '../state/desired.ts'
import { planSteps } from '../state/plan.ts'
import { edit } from './edit.ts'
import type { Journal } from './journal.ts'

/** Removes a ruleset's rules and chains from one back end, after reading the back end's rules. */
export async function removeFrom(session: Session, backend: Backend, rules: Ruleset, journal: Journal): Promise<void> {
  await removeAfterRead(session, journal, backend, rules, await session.familiesFor(backend, rules))
}

/** Removes a ruleset's rules and chains from some families, after reading their rules. */
export async function removeAfterRead(
  session: Session,
  journal: Journal,
  backend: Backend,
  rules: Ruleset,
  families: readonly Family[],
): Promise<void> {
  if (rules.chains.length + rules.rules.length === 0) return
  const plan = (seen: SavedTables) => planSteps(removedState(rules, seen.family), seen)
  await edit(session, backend, { families, plan, journal })
}
