import type { Nft } from '../wire/nft.ts'
import { restore, type Snapshot } from '../wire/snapshot.ts'
import type { TableName } from '../wire/specs.ts'
import { present } from './present.ts'

/** Makes tables what they were: what a snapshot has of them, or gone. */
export function putBack(nft: Nft, tables: readonly TableName[], before: Snapshot | undefined): void {
  nft.transact((batch) => {
    for (const name of present(nft, tables)) batch.deleteTable(name)
    if (before !== undefined) restore(batch, before)
  })
}
