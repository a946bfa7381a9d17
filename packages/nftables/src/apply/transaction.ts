import type { Ruleset } from '../rules/model.ts'
import { Batch } from '../wire/batch.ts'
import type { Nft } from '../wire/nft.ts'
import { snapshot } from '../wire/snapshot.ts'
import type { TableName } from '../wire/specs.ts'
import { present } from './present.ts'
import { writeDifference } from './replace.ts'
import type { Change } from './report.ts'
import { changeOf, type Work, wayBack, withNft } from './work.ts'

/** Fills a batch, by what it reads; called again when others change something meanwhile. */
export type TransactionSteps<T> = (batch: Batch, nft: Nft) => T

/** What a transaction did, and gave back. */
export interface Transacted<T> extends Change {
  readonly value: T
}

/** Several changes as one. `tables` are those that are changed. */
export async function runTransaction<T>(
  work: Work,
  tables: readonly TableName[],
  steps: TransactionSteps<T>,
): Promise<Transacted<T>> {
  const began = performance.now()
  const back = wayBack(work, tables)
  return withNft(work, (nft) => {
    const { value, written } = nft.transact((batch) => {
      const result = { value: steps(batch, nft), written: batch.size > 0 }
      if (result.written && work.place.undo !== undefined) {
        const found = present(nft, tables)
        back.before = found.length === 0 ? undefined : snapshot(nft, found)
        back.register()
      }
      return result
    })
    back.written = written
    return { value, ...changeOf(nft, began, back) }
  })
}

/** Has the kernel check what `apply` would write. Throws `NftError('REFUSED')` with every rule that it refuses. */
export async function checkRuleset(work: Work, { tables }: Ruleset): Promise<void> {
  await withNft(work, (nft) => {
    const batch = new Batch()
    writeDifference(batch, nft, tables)
    nft.check(batch)
  })
}
