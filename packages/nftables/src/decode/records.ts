import type { Dumps } from '../wire/dumps/dumps.ts'
import type { NftChain, NftRule, NftTable } from '../wire/dumps/records.ts'
import type { NftElement, NftSet } from '../wire/dumps/set-records.ts'
import { elementsOf, setsOf } from '../wire/dumps/sets.ts'
import type { TableName } from '../wire/specs.ts'
import type { SetRecord } from './reading.ts'

/** Records of one kernel table and of its content, all read at one generation of the ruleset. */
export interface TableRecords {
  readonly table: NftTable
  readonly chains: readonly NftChain[]
  /** Sets of the table by name, including anonymous sets of rules. */
  readonly sets: ReadonlyMap<string, { readonly set: NftSet; readonly elements: readonly NftElement[] }>
  /** Rules of all chains of the table, in the kernel's order within each chain. */
  readonly rules: readonly NftRule[]
}

/** Reads the named tables of the kernel, or all tables. Call it inside `Nft.read` for one generation. */
export function readRecords(nft: Dumps, names?: readonly TableName[]): TableRecords[] {
  const isWanted = ({ family, table }: TableName) =>
    names === undefined || names.some((name) => name.family === family && name.table === table)
  const tables = nft.tables().filter(isWanted)
  if (tables.length === 0) return []
  const chains = grouped(nft.chains())
  const rules = grouped(nft.rules())
  const sets = grouped(setsOf(nft))
  return tables.map((table) => ({
    table,
    chains: chains.get(keyOf(table)) ?? [],
    rules: rules.get(keyOf(table)) ?? [],
    sets: new Map(
      (sets.get(keyOf(table)) ?? []).map((set): [string, SetRecord] => [
        set.set,
        { set, elements: elementsOf(nft, { family: set.family, table: set.table, set: set.set }) },
      ]),
    ),
  }))
}

const keyOf = ({ family, table }: TableName): string => `${family} ${table}`

function grouped<T extends TableName>(list: readonly T[]): Map<string, T[]> {
  const groups = new Map<string, T[]>()
  for (const item of list) {
    const group = groups.get(keyOf(item))
    if (group === undefined) groups.set(keyOf(item), [item])
    else group.push(item)
  }
  return groups
}
