import { nameOf } from '../encode/encode-table.ts'
import type { TableName } from '../wire/specs.ts'
import type { OwnedOptions, OwnedTables } from './work.ts'

/** Tables that `apply` deletes: all tables in its option `absent`, except tables of the ruleset. */
export function absentTables({ tables }: OwnedTables, { absent }: OwnedOptions): readonly TableName[] {
  const isWanted = ({ family, table }: TableName) =>
    tables.some((wanted) => wanted.family === family && wanted.name === table)
  return absent === undefined ? [] : absent.tables.map(nameOf).filter((name) => !isWanted(name))
}
