import { readRecords } from './decode/records.ts'
import { decodeTables } from './decode/tables.ts'
import { printRecords } from './print/print-records.ts'
import type { Ruleset } from './rules/model.ts'
import type { Dumps } from './wire/dumps/dumps.ts'
import type { TableName } from './wire/specs.ts'

/**
 * Reads the named tables of the kernel, or by default all tables. Skips missing tables, and sets that the data model
 * cannot express. Unknown parts of rules become `raw`. Inside `Nft.read` all tables come from one generation. Throws
 * the errors of `Nft`.
 */
export function readTables(nft: Dumps, names?: readonly TableName[]): Ruleset {
  return decodeTables(readRecords(nft, names))
}

/** Text of kernel tables as `nft list ruleset` prints them, including objects that the data model cannot express. */
export function printTables(
  nft: Dumps,
  names?: readonly TableName[],
  options?: { readonly stateless?: boolean | undefined },
): string {
  return printRecords(readRecords(nft, names), options)
}
