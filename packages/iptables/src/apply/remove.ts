import { invalid } from '../errors.ts'
import type { Snapshot } from '../parse/snapshot.ts'
import { type Family, isBuiltin, type Ruleset, type Table } from '../rules/model.ts'
import type { Backend } from '../run/backend.ts'
import { RestoreError } from '../run/failure.ts'
import type { Session } from '../run/session.ts'
import { planText } from '../state/plan.ts'
import { removedState, type Wanted, type WantedTable } from '../state/wanted.ts'

/** Removes a ruleset wherever it may be: both families, both back ends. What is not there is fine. */
export async function removeRuleset(session: Session, rules: Ruleset): Promise<void> {
  await everywhere(session, (family) => () => removedState(rules, family))
}

/** Removes all chains whose name begins with `prefix`, and the jumps to them, wherever they may be. */
export async function removeByPrefix(session: Session, prefix: string): Promise<void> {
  if (typeof prefix !== 'string' || !/^[A-Za-z0-9_.][A-Za-z0-9_.:-]*$/.test(prefix)) {
    invalid(`removeChains(${JSON.stringify(prefix)}): a prefix of chain names is needed; an empty one would mean all`)
  }
  await everywhere(session, () => (snapshot) => withoutChains(snapshot, prefix))
}

/** Removes a ruleset from one back end. */
export async function removeFrom(
  session: Session,
  backend: Backend,
  rules: Ruleset,
  families: readonly Family[],
): Promise<void> {
  await Promise.all(families.map((family) => bring(session, backend, family, () => removedState(rules, family))))
}

// internal

type Target = (snapshot: Snapshot) => Wanted

async function everywhere(session: Session, target: (family: Family) => Target): Promise<void> {
  const { chosen, other, legacyTables } = await session.backends()
  const backends = [chosen, ...(other === undefined ? [] : [other])].filter(
    // No table, no rule: nothing to look for.
    ({ kind }) => kind === 'nft' || legacyTables,
  )
  const families = await session.families()
  const results = await Promise.allSettled(
    backends.flatMap((backend) => families.map((family) => bring(session, backend, family, target(family)))),
  )
  const failed = results.find((result) => result.status === 'rejected')
  if (failed !== undefined) throw failed.reason
}

/** Reads and writes until the state is reached; a rule that someone else deletes meanwhile makes a write fail. */
async function bring(session: Session, backend: Backend, family: Family, target: Target): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    const snapshot = await session.snapshot(backend, family)
    try {
      return await session.restore(backend, family, planText(target(snapshot), snapshot))
    } catch (error) {
      if (attempt === 3 || !(error instanceof RestoreError) || error.line === undefined) throw error
    }
  }
}

function withoutChains({ family, tables }: Snapshot, prefix: string): Wanted {
  const wanted = new Map<Table, WantedTable>()
  for (const [table, chains] of tables) {
    const absent = [...chains.keys()].filter((name) => name.startsWith(prefix) && !isBuiltin(table, name))
    if (absent.length > 0) wanted.set(table, { own: new Map(), absent, builtin: new Map(), removable: new Map() })
  }
  return { family, tables: wanted }
}
