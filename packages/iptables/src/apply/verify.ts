import type { Drift } from '../drift.ts'
import type { SavedTables } from '../parse/saved-tables.ts'
import { checkTablesAndChains } from '../rules/check-chains.ts'
import type { Ruleset } from '../rules/model.ts'
import type { Backend } from '../run/backend.ts'
import type { Session } from '../session/session.ts'
import { desiredState, removedState } from '../state/desired.ts'
import { diffState } from '../state/diff.ts'
import { isClean, mergeDrift } from '../state/drift.ts'
import { DriftError } from '../state/drift-error.ts'

/** Throws a `DriftError` if the kernel's rules differ from the ruleset. */
export async function verifyRuleset(session: Session, rules: Ruleset): Promise<void> {
  const drift = await diffRuleset(session, rules)
  if (!isClean(drift)) throw new DriftError(drift)
}

/** Differences between a ruleset and the kernel's rules, also in the unused back end. */
export async function diffRuleset(session: Session, rules: Ruleset): Promise<Drift> {
  checkTablesAndChains(rules)
  const { chosen, other } = await session.backends(rules)
  const one = (backend: Backend, seen: SavedTables) => {
    const desired = backend === chosen ? desiredState(rules, seen.family) : removedState(rules, seen.family)
    const drift = diffState(desired, seen)
    return backend === chosen
      ? drift
      : { ...drift, unexpected: drift.unexpected.map((line) => ({ ...line, backend: backend.kind })) }
  }
  const backends = other === undefined ? [chosen] : [chosen, other]
  const all = backends.map(async (backend) => {
    const found = await session.read(backend, await session.familiesFor(backend, rules))
    return mergeDrift(found.map((seen) => one(backend, seen)))
  })
  return mergeDrift(await Promise.all(all))
}
