import type { Nft } from '../wire/nft.ts'
import { restore, type Snapshot } from '../wire/snapshot.ts'
import type { TableName } from '../wire/specs.ts'

/** Makes tables what they were: what a snapshot has of them, or gone. */
export function putBack(nft: Nft, tables: readonly TableName[], before: Snapshot | undefined): void {
  nft.transact((batch) => {
    const present = nft.tables()
    for (const { family, table } of tables) {
      if (present.some((each) => each.family === family && each.table === table)) batch.deleteTable({ family, table })
    }
    if (before !== undefined) restore(batch, before)
  })
}
