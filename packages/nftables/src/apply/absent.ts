import { nameOf } from '../encode/encode-table.ts'
import type { TableName } from '../wire/specs.ts'
import type { OwnedOptions, OwnedTables } from './work.ts'

/** Tables that `apply` deletes: all tables in its option `absent`, except tables of the ruleset. */
export function absentTables({ tables }: OwnedTables, { absent }: OwnedOptions): readonly TableName[] {
  const isDesired = ({ family, table }: TableName) =>
    tables.some((desired) => desired.family === family && desired.name === table)
  return absent === undefined ? [] : absent.tables.map(nameOf).filter((name) => !isDesired(name))
}
