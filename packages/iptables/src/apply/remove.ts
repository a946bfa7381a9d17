import { invalid } from '../errors.ts'
import type { SavedTables } from '../parse/saved-tables.ts'
import { type Family, isBuiltin, type Rule, type Ruleset, type Table } from '../rules/model.ts'
import { checkPlaces } from '../rules/places.ts'
import type { Backend } from '../run/backend.ts'
import { RestoreError } from '../run/failure.ts'
import type { Session } from '../run/session.ts'
import { settle } from '../settle.ts'
import { planSteps } from '../state/plan.ts'
import { removedState, type Wanted, type WantedTable } from '../state/wanted.ts'
import { removalText } from '../text/removal-text.ts'
import { edit } from './edit.ts'
import { textTables } from './fresh.ts'
import { Journal } from './journal.ts'

/**
 * Removes a ruleset wherever it may be: both families, both back ends. What is not there is fine. In the back end that
 * is in use it is expected to stand as it was written: one process per family, nothing read, unless the kernel objects.
 */
export async function removeRuleset(session: Session, rules: Ruleset): Promise<void> {
  checkPlaces(rules)
  const journal = new Journal(session)
  await everywhere(session, rules, async (backend, families, inUse) => {
    if (!inUse || backend.netlink) return removeLooking(session, journal, backend, rules, families)
    await settle(families.map((family) => removeBlindly(session, journal, backend, rules, family)))
  })
}

/** The same for a removal that can be undone: it looks first, for what is there may not be as it was written. */
export async function removeReversibly(session: Session, rules: Ruleset, journal: Journal): Promise<void> {
  checkPlaces(rules)
  await everywhere(session, rules, (backend, families) => removeLooking(session, journal, backend, rules, families))
}

/** Removes all chains whose name begins with `prefix`, and the jumps to them, wherever they may be. */
export async function removeByPrefix(session: Session, prefix: string, journal: Journal): Promise<void> {
  if (typeof prefix !== 'string' || !/^[A-Za-z0-9_.][A-Za-z0-9_.:-]*$/.test(prefix)) {
    invalid(`removeChains(${JSON.stringify(prefix)}): a prefix of chain names is needed; an empty one would mean all`)
  }
  const plan = (seen: SavedTables) => planSteps(withoutChains(seen, prefix), seen)
  await everywhere(session, undefined, async (backend, families) => {
    await edit(session, backend, { families, plan, journal })
  })
}

/** Removes a ruleset from one back end. */
export async function removeFrom(session: Session, backend: Backend, rules: Ruleset, journal: Journal): Promise<void> {
  await removeLooking(session, journal, backend, rules, await session.familiesFor(backend, rules))
}

// internal

async function everywhere(
  session: Session,
  rules: Ruleset | undefined,
  remove: (backend: Backend, families: readonly Family[], inUse: boolean) => Promise<void>,
): Promise<void> {
  // Own chains go whatever is in them; rules of built-in chains have to be recognized.
  const told = rules && { chains: [], rules: rules.rules.filter(({ table, chain }) => isBuiltin(table, chain)) }
  const { chosen, other, legacyTables } = await session.backends(told)
  const backends = [chosen, ...(other === undefined ? [] : [other])].filter(
    // No table, no rule: nothing to look for.
    ({ kind }) => kind === 'nft' || legacyTables,
  )
  const places = backends.map(async (backend) => ({ backend, families: await session.familiesFor(backend, rules) }))
  await settle(
    (await Promise.all(places)).map(({ backend, families }) => remove(backend, families, backend === chosen)),
  )
}

/** Tables that the text cannot cover are looked at meanwhile; those in which it was refused, after it. */
async function removeBlindly(
  session: Session,
  journal: Journal,
  backend: Backend,
  rules: Ruleset,
  family: Family,
): Promise<void> {
  const text = removalText(rules, family)
  const written = textTables(text)
  const tables = new Set(written.map(({ table }) => table))
  const early = backend.kind === 'nft' && !rules.rules.some(holdsMore)
  const attempt = async () => {
    try {
      await session.restore(backend, family, text, early ? { commits: written.length } : {})
    } catch (error) {
      if (!(error instanceof RestoreError) || error.line === undefined) throw error
      const { line } = error
      // What is committed is gone for good. Looking there again would take a rule of others that equals one of ours.
      const left = new Set(written.filter(({ commit }) => commit >= line).map(({ table }) => table))
      await removeLooking(
        session,
        journal,
        backend,
        inTables(rules, (table) => left.has(table)),
        [family],
      )
    }
  }
  await settle([
    attempt(),
    removeLooking(
      session,
      journal,
      backend,
      inTables(rules, (table) => !tables.has(table)),
      [family],
    ),
  ])
}

/**
 * Whether a rule may keep something besides itself in use, such as a set, until the kernel has freed it: the caller's next
 * step may be to destroy that.
 */
const holdsMore = ({ matches, target }: Rule) =>
  matches.some(({ match }) => match === 'set' || match === 'raw') || target.target === 'SET' || target.target === 'raw'

/** Reads and writes until nothing of the rules is left. */
async function removeLooking(
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

const inTables = ({ chains, rules }: Ruleset, has: (table: Table) => boolean): Ruleset => ({
  chains: chains.filter(({ table }) => has(table)),
  rules: rules.filter(({ table }) => has(table)),
})

function withoutChains({ family, tables }: SavedTables, prefix: string): Wanted {
  const wanted = new Map<Table, WantedTable>()
  for (const [table, chains] of tables) {
    const absent = [...chains.keys()].filter((name) => name.startsWith(prefix) && !isBuiltin(table, name))
    if (absent.length > 0) wanted.set(table, { own: new Map(), absent, builtin: new Map(), removable: new Map() })
  }
  return { family, tables: wanted }
}
