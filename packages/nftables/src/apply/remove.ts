import { keptIn } from '@cni/netns/handle'
import { nameOf } from '../encode/encode-table.ts'
import { present } from './present.ts'
import type { Change } from './report.ts'
import { runTransaction } from './transaction.ts'
import type { OwnedTables, Work } from './work.ts'

/**
 * Deletes the tables of a ruleset with their content. Missing tables are ignored. Exception: keeps the tables if
 * another attachment still uses the namespace (`kept` in the namespace's handle).
 */
export async function removeRuleset(work: Work, { tables }: OwnedTables): Promise<Change> {
  const names = keptIn(work.place.netns) === undefined ? tables.map(nameOf) : []
  return runTransaction(work, names, (batch, nft) => {
    for (const name of present(nft, names)) batch.deleteTable(name)
  })
}
