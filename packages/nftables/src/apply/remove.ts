import { keptIn } from '@cni/netns/handle'
import { nameOf } from '../encode/encode-table.ts'
import { present } from './present.ts'
import type { Change } from './report.ts'
import { runTransaction } from './transaction.ts'
import type { OwnedTables, Work } from './work.ts'

/** Deletes the tables, unless another CNI attachment uses the namespace. */
export async function removeRuleset(work: Work, { tables }: OwnedTables): Promise<Change> {
  const names = keptIn(work.context.netns) === undefined ? tables.map(nameOf) : []
  return runTransaction(work, names, (batch, nft) => {
    for (const name of present(nft, names)) batch.deleteTable(name)
  })
}
