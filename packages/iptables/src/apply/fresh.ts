import { invalid } from '../errors.ts'
import type { SavedTables } from '../parse/saved-tables.ts'
import { isTable, type Table } from '../rules/model.ts'
import { diffState } from '../state/diff.ts'
import { isClean } from '../state/drift.ts'
import { holdsOurs, onlyTables, type Wanted } from '../state/wanted.ts'

/** A table of a restore text. */
export interface TextTable {
  readonly table: Table
  /** It creates a chain with `-N`, so it is refused when it was applied before. */
  readonly guarded: boolean
  /** Line number of its COMMIT. */
  readonly commit: number
}

/** Looks through a restore text, also one of a custom printer. */
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
 * Whether a text may be tried without looking first. Each table must create a chain: that fails when an earlier call
 * wrote the table, while rules in built-in chains alone would silently be written twice.
 */
export const mayTryFresh = (tables: readonly TextTable[]): boolean => tables.every(({ guarded }) => guarded)

/**
 * The tables that a fresh restore wrote before it was killed without a word. Tables are committed in order and whole:
 * ours are the first ones, exactly as wanted, with nothing of ours behind them. Everything being there, or something
 * that differs, is the work of an earlier call and stays, unless we know that there was none (`alone`).
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
