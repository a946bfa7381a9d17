import { invalid } from '../errors.ts'
import type { SavedTables } from '../parse/saved-tables.ts'
import { checkTablesAndChains } from '../rules/check-chains.ts'
import { type Family, isBuiltin, type Ruleset, type Table } from '../rules/model.ts'
import type { Backend } from '../run/backend.ts'
import type { Session } from '../session/session.ts'
import { settle } from '../settle.ts'
import type { DesiredState, DesiredTable } from '../state/desired.ts'
import { planSteps } from '../state/plan.ts'
import { edit } from './edit.ts'
import { Journal } from './journal.ts'
import { removeAfterRead } from './remove-after-read.ts'
import { removeWithoutRead } from './remove-without-read.ts'

/** Removes a ruleset from both families and both back ends. Missing rules are not an error. */
export async function removeRuleset(session: Session, rules: Ruleset): Promise<void> {
  checkTablesAndChains(rules)
  const journal = new Journal(session)
  await everywhere(session, rules, async (backend, families, inUse) => {
    if (!inUse || backend.netlink) return removeAfterRead(session, journal, backend, rules, families)
    await settle(families.map((family) => removeWithoutRead(session, journal, backend, rules, family)))
  })
}

/** Removes a ruleset. Reads the rules first, because `undo` must restore exactly these rules. */
export async function removeReversibly(session: Session, rules: Ruleset, journal: Journal): Promise<void> {
  checkTablesAndChains(rules)
  await everywhere(session, rules, (backend, families) => removeAfterRead(session, journal, backend, rules, families))
}

/** Removes all chains whose name begins with `prefix`, and the jumps to these chains. */
export async function removeByPrefix(session: Session, prefix: string, journal: Journal): Promise<void> {
  if (typeof prefix !== 'string' || !/^[A-Za-z0-9_.][A-Za-z0-9_.:-]*$/.test(prefix)) {
    invalid(`removeChains(${JSON.stringify(prefix)}): expected a non-empty prefix of chain names`)
  }
  const touched = new Set<string>()
  const plan = (seen: SavedTables) => {
    const desired = withoutChains(seen, prefix)
    for (const table of desired.tables.keys()) touched.add(`${seen.family} ${table}`)
    return planSteps(desired, seen)
  }
  await everywhere(session, undefined, async (backend, families) => {
    await edit(session, backend, { families, plan, journal })
  })
  if (touched.size > 0) await session.deleteEmptyTables((family, table) => touched.has(`${family} ${table}`))
}

// internal

async function everywhere(
  session: Session,
  rules: Ruleset | undefined,
  remove: (backend: Backend, families: readonly Family[], inUse: boolean) => Promise<void>,
): Promise<void> {
  // Omits rules in the ruleset's own chains: a chain is deleted together with all its rules.
  const builtinRules = rules && { chains: [], rules: rules.rules.filter(({ table, chain }) => isBuiltin(table, chain)) }
  const { chosen, other, legacyTables } = await session.backends(builtinRules)
  const backends = [chosen, ...(other === undefined ? [] : [other])].filter(
    // Skips the legacy back end if it has no tables: without a table, it holds no rules.
    ({ kind }) => kind === 'iptables-nft' || legacyTables,
  )
  const targets = backends.map(async (backend) => ({ backend, families: await session.familiesFor(backend, rules) }))
  await settle(
    (await Promise.all(targets)).map(({ backend, families }) => remove(backend, families, backend === chosen)),
  )
}

function withoutChains({ family, tables }: SavedTables, prefix: string): DesiredState {
  const desired = new Map<Table, DesiredTable>()
  for (const [table, chains] of tables) {
    const absent = [...chains.keys()].filter((name) => name.startsWith(prefix) && !isBuiltin(table, name))
    if (absent.length > 0) desired.set(table, { own: new Map(), absent, builtin: new Map(), removable: new Map() })
  }
  return { family, tables: desired }
}
