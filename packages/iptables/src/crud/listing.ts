import { takeSnapshot } from '../apply/restore-snapshot.ts'
import type { SavedRule } from '../parse/saved-tables.ts'
import { type Family, isBuiltin, type Rule, type Table } from '../rules/model.ts'
import { checkPlace } from '../rules/places.ts'
import type { Session } from '../run/session.ts'
import { DraftTables } from './draft-tables.ts'
import { indexOf } from './transaction.ts'

/** A chain of one family as the kernel has it. */
export interface ListedChain {
  readonly family: Family
  readonly name: string
  readonly builtin: boolean
  /** What happens to packets at its end, for a built-in chain. */
  readonly policy?: string
  /** How many rules it has. */
  readonly size: number
}

/** A rule of one family as the kernel has it. */
export interface ListedRule {
  readonly family: Family
  /** Its number in the chain, from 1. */
  readonly position: number
  /** As `iptables-save` prints it, without `-A CHAIN`. */
  readonly text: string
  /** Target or chain, `''` without one. */
  readonly target: string
}

/** The chains of a table, in all families. */
export async function listChains(session: Session, table: Table): Promise<ListedChain[]> {
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

/** The rules of a chain, in all families; none when there is no such chain. */
export async function listRules(session: Session, table: Table, chain: string): Promise<ListedRule[]> {
  checkPlace(table, chain)
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

/** Whether a rule stands in its chain, in every family that it is for. */
export async function hasRule(session: Session, rule: Rule): Promise<boolean> {
  checkPlace(rule.table, rule.chain)
  const families = (await session.families()).filter((family) => rule.family === undefined || rule.family === family)
  if (families.length === 0) return false
  const snapshot = await takeSnapshot(session, { families, tables: [rule.table] })
  return both(snapshot.ipv4, snapshot.ipv6).every((each) => indexOf(new DraftTables(each), rule) !== -1)
}

// internal

const both = <T>(...list: readonly (T | undefined)[]): T[] => list.flatMap((each) => each ?? [])
