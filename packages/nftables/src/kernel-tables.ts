import { readRecords } from './decode/records.ts'
import { decodeTables } from './decode/tables.ts'
import { printRecords } from './print/print-records.ts'
import type { Ruleset } from './rules/model.ts'
import type { Dumps } from './wire/dumps/dumps.ts'
import type { TableName } from './wire/specs.ts'

/**
 * Some tables of the kernel, or all, as data. Inside of `read` of `Nft` the result is consistent. Missing tables are
 * skipped, and so are sets that the model cannot express. Unknown parts of rules become `raw`. Throws like `Nft`.
 */
export function readTables(nft: Dumps, names?: readonly TableName[]): Ruleset {
  return decodeTables(readRecords(nft, names))
}

/** Text of the tables as `nft list ruleset` prints them, including parts that the model cannot express. */
export function printTables(
  nft: Dumps,
  names?: readonly TableName[],
  options?: { readonly stateless?: boolean | undefined },
): string {
  return printRecords(readRecords(nft, names), options)
}
