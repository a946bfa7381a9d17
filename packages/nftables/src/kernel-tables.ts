import { readRecords } from './decode/records.ts'
import { decodeTables } from './decode/tables.ts'
import { printRecords } from './print/print-records.ts'
import type { Ruleset } from './rules/model.ts'
import type { Dumps } from './wire/dumps/dumps.ts'
import type { TableName } from './wire/specs.ts'

/**
 * Tables that are there, or all, as data; within `read` of `Nft` they are as of one moment. Those that are not there are
 * left out, so are sets that are not modelled; of a rule what is not modelled is `raw`. Throws as `Nft` does.
 */
export function readTables(nft: Dumps, names?: readonly TableName[]): Ruleset {
  return decodeTables(readRecords(nft, names))
}

/** The same tables as `nft list ruleset` prints them, also what is not modelled. */
export function printTables(
  nft: Dumps,
  names?: readonly TableName[],
  options?: { readonly stateless?: boolean | undefined },
): string {
  return printRecords(readRecords(nft, names), options)
}
