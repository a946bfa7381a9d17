import type { Ruleset } from '../rules/model.ts'
import { Batch } from '../wire/batch.ts'
import type { Nft } from '../wire/nft.ts'
import { patiently } from '../wire/patience.ts'
import { type Snapshot, snapshot } from '../wire/snapshot.ts'
import type { TableName } from '../wire/specs.ts'
import { present } from './present.ts'
import { writeDifference } from './replace.ts'
import type { Change } from './report.ts'
import { changeOf, patienceOf, type Work, wayBack, withNft } from './work.ts'

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
  const back = wayBack(work)
  return withNft(work, async (nft) => {
    const plan = (batch: Batch) => {
      const value = steps(batch, nft)
      if (batch.size > 0) back.begin(concerned(nft, batch, tables))
      return value
    }
    const value = await nft.transact(plan, { ...patienceOf(work), told: back.told })
    return { value, ...changeOf(nft, began, back) }
  })
}

/** Several changes as one, that depend on nothing that was read: others who write at the same time do not matter. */
export async function runWrite(
  work: Work,
  tables: readonly TableName[],
  fill: (batch: Batch) => unknown,
): Promise<Change> {
  const began = performance.now()
  const back = wayBack(work)
  return withNft(work, async (nft) => {
    const batch = new Batch({ echo: true })
    fill(batch)
    if (batch.size > 0) {
      back.begin(await patiently('read them', () => concerned(nft, batch, tables), patienceOf(work)))
      back.told(nft.commit(batch))
    }
    return changeOf(nft, began, back)
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

/** What a way back needs of the tables: all, where something is deleted, else what is there by its name. */
export function concerned(nft: Nft, { deletes }: Batch, tables: readonly TableName[]): Snapshot {
  return snapshot(nft, present(nft, tables), deletes ? undefined : ['table', 'chain', 'set'])
}
