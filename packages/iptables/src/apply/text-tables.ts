import { invalid } from '../errors.ts'
import type { SavedTables } from '../parse/saved-tables.ts'
import { isTable, type Table } from '../rules/model.ts'
import { type DesiredState, holdsOurs, onlyTables } from '../state/desired.ts'
import { diffState } from '../state/diff.ts'
import { isClean } from '../state/drift.ts'

/** One table's section in a restore text. */
export interface TextTable {
  readonly table: Table
  /** True if the table's text creates a chain with `-N`, which fails if the chain exists. */
  readonly guarded: boolean
  /** Line number of the table's `COMMIT` in the restore text. */
  readonly commit: number
}

/** Finds the table sections of a restore text. The text may come from a caller's own printer. */
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

/** True if each table creates a chain with `-N`. In this case, a second write would fail. */
export const canWriteFresh = (tables: readonly TextTable[]): boolean => tables.every(({ guarded }) => guarded)

/** Finds the tables that a killed restore program wrote. Omits tables of an earlier call. */
export function writtenBeforeKill(
  desired: DesiredState,
  snapshot: SavedTables,
  tables: readonly TextTable[],
  alone: boolean,
): ReadonlySet<Table> {
  const clean = (table: Table) => isClean(diffState(onlyTables(desired, [table]), snapshot))
  const names = tables.map(({ table }) => table)
  const count = names.findIndex((table) => !clean(table))
  if (count === -1) return new Set(alone ? names : [])
  const rest = onlyTables(desired, names.slice(count))
  return new Set(holdsOurs(rest, snapshot) ? [] : names.slice(0, count))
}
