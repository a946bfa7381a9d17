import { invalid } from '../errors.ts'
import type { SavedTables } from '../parse/saved-tables.ts'
import { isTable, type Table } from '../rules/model.ts'
import { diffState } from '../state/diff.ts'
import { isClean } from '../state/drift.ts'
import { holdsOurs, onlyTables, type Wanted } from '../state/wanted.ts'

/** Table in a restore text. */
export interface TextTable {
  readonly table: Table
  /** True if the table creates a chain with `-N`: the kernel then refuses a second write of the text. */
  readonly guarded: boolean
  /** Line number of the table's COMMIT. */
  readonly commit: number
}

/** Finds the tables of a restore text, which may come from a custom printer. */
export function textTables(text: string): TextTable[] {
  const tables: TextTable[] = []
  let table: string | undefined
  let guarded = false
  for (const [index, line] of text.split('\n').entries()) {
    if (line.startsWith('*')) {
      table = line.slice(1).trim()
      guarded = false
    } else if (/^(-N|--new-chain)\s/.test(line)) {
      guarded = true
    } else if (line.trim() === 'COMMIT') {
      if (table === undefined || !isTable(table))
        invalid(`the printed text commits no known table at line ${index + 1}`)
      tables.push({ table, guarded, commit: index + 1 })
      table = undefined
    }
  }
  if (table !== undefined) invalid(`the printed text does not commit table ${table}`)
  return tables
}

/**
 * True if a text may be written without reading first. Each table must create a chain, which fails if an earlier call
 * wrote the table. Rules in built-in chains alone would be written twice without an error.
 */
export const mayTryFresh = (tables: readonly TextTable[]): boolean => tables.every(({ guarded }) => guarded)

/**
 * Tables that a fresh restore wrote before it was killed without a message. The program commits complete tables in
 * their order. This call wrote the first tables, exactly as wanted, if no later table holds own rules.
 *
 * An earlier call wrote the tables if all of them are complete, or if one differs. These tables stay. If `alone` is
 * true, no earlier call wrote any rules.
 */
export function writtenBeforeKill(
  wanted: Wanted,
  snapshot: SavedTables,
  tables: readonly TextTable[],
  alone: boolean,
): ReadonlySet<Table> {
  const clean = (table: Table) => isClean(diffState(onlyTables(wanted, [table]), snapshot))
  const names = tables.map(({ table }) => table)
  const count = names.findIndex((table) => !clean(table))
  if (count === -1) return new Set(alone ? names : [])
  const rest = onlyTables(wanted, names.slice(count))
  return new Set(holdsOurs(rest, snapshot) ? [] : names.slice(0, count))
}
