import { tableIn } from '../wire/dumps/records.ts'
import { restore, type Snapshot, snapshot } from '../wire/dumps/snapshot.ts'
import { familyWord } from '../wire/family.ts'
import type { TableName } from '../wire/specs.ts'
import { present } from './present.ts'
import type { Change } from './report.ts'
import { runTransaction } from './transaction.ts'
import { retryOptionsOf, type Work, withNft } from './work.ts'

/** Reads the content of some tables of the namespace, or of all tables. */
export async function takeSnapshot(work: Work, tables?: readonly TableName[]): Promise<Snapshot> {
  return withNft(work, (nft) => nft.read(() => snapshot(nft, tables), retryOptionsOf(work)))
}

/** Restores the content of a snapshot's tables. */
export async function restoreSnapshot(work: Work, saved: Snapshot): Promise<Change> {
  const names = tablesIn(saved)
  return runTransaction(work, names, (batch, nft) => {
    for (const name of present(nft, names)) batch.deleteTable(name)
    restore(batch, saved)
  })
}

function tablesIn({ messages }: Snapshot): TableName[] {
  return messages.flatMap(({ kind, body }) => {
    const family = kind === 'table' ? familyWord(body[0]) : undefined
    return family === undefined ? [] : [{ family, table: tableIn(family, Buffer.from(body)).table }]
  })
}
