import type { Family, Ruleset } from '../rules/model.ts'
import { checkPlaces } from '../rules/places.ts'
import type { Backend } from '../run/backend.ts'
import type { Session } from '../run/session.ts'
import { diffState } from '../state/diff.ts'
import { type Drift, mergeDrift } from '../state/drift.ts'
import { removedState, wantedState } from '../state/wanted.ts'

/**
 * What differs between a ruleset and the kernel, in all families. A back end that may hold an older copy is looked at
 * too: there everything of ours is unexpected.
 */
export async function diffRuleset(session: Session, rules: Ruleset): Promise<Drift> {
  checkPlaces(rules)
  const { chosen, other } = await session.backends()
  const one = async (backend: Backend, family: Family) => {
    const wanted = backend === chosen ? wantedState(rules, family) : removedState(rules, family)
    const drift = diffState(wanted, await session.snapshot(backend, family))
    return backend === chosen
      ? drift
      : { ...drift, unexpected: drift.unexpected.map((line) => ({ ...line, backend: backend.kind })) }
  }
  const backends = other === undefined ? [chosen] : [chosen, other]
  const all = backends.map(async (backend) => {
    const families = await session.familiesFor(backend, rules)
    return mergeDrift(await Promise.all(families.map((family) => one(backend, family))))
  })
  return mergeDrift(await Promise.all(all))
}
