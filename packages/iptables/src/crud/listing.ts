import { takeSnapshot } from '../apply/restore-snapshot.ts'
import type { SavedRule } from '../parse/saved-tables.ts'
import { checkTableAndChain } from '../rules/check-chains.ts'
import { isBuiltin, type Rule, type Table } from '../rules/model.ts'
import type { Session } from '../session/session.ts'
import { DraftTables } from './draft-tables.ts'
import { indexOf } from './transaction.ts'

/** Lists the chains of a table in the kernel, in all families. */
export async function listChains(session: Session, table: Table) {
  const snapshot = await takeSnapshot(session, { tables: [table] })
  return both(snapshot.ipv4, snapshot.ipv6).flatMap(({ family, tables }) =>
    [...(tables.get(table) ?? [])].map(([name, { policy, rules }]) => ({
      family,
      name,
      builtin: isBuiltin(table, name),
      ...(policy === undefined ? undefined : { policy }),
      size: rules.length,
    })),
  )
}

/** Lists the rules of a chain in the kernel, in all families. Empty if the chain does not exist. */
export async function listRules(session: Session, table: Table, chain: string) {
  checkTableAndChain(table, chain)
  const snapshot = await takeSnapshot(session, { tables: [table] })
  return both(snapshot.ipv4, snapshot.ipv6).flatMap(({ family, tables }) =>
    (tables.get(table)?.get(chain)?.rules ?? []).map((rule: SavedRule, index) => ({
      family,
      position: index + 1,
      text: rule.text,
      target: rule.target,
    })),
  )
}

/** True if the chain contains the rule, in every family to which the rule applies. */
export async function hasRule(session: Session, rule: Rule): Promise<boolean> {
  checkTableAndChain(rule.table, rule.chain)
  const families = (await session.families()).filter((family) => rule.family === undefined || rule.family === family)
  if (families.length === 0) return false
  const snapshot = await takeSnapshot(session, { families, tables: [rule.table] })
  return both(snapshot.ipv4, snapshot.ipv6).every((each) => indexOf(new DraftTables(each), rule) !== -1)
}

// internal

const both = <T>(...list: readonly (T | undefined)[]): T[] => list.flatMap((each) => each ?? [])
