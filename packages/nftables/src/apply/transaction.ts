import type { Ruleset } from '../rules/model.ts'
import { Batch, messagesOf } from '../wire/batch/batch.ts'
import { type Snapshot, snapshot } from '../wire/dumps/snapshot.ts'
import type { Nft } from '../wire/nft.ts'
import { withRetries } from '../wire/retry.ts'
import type { TableName } from '../wire/specs.ts'
import { writeDifference } from './replace.ts'
import type { Change } from './report.ts'
import { changeOf, type Rollback, retryOptionsOf, rollbackOf, type Work, withNft } from './work.ts'

/** Runs a transaction that changes the given `tables`. The function `steps` adds the changes to the batch. */
export async function runTransaction<T>(
  work: Work,
  tables: readonly TableName[],
  steps: (batch: Batch, nft: Nft) => T,
): Promise<Change & { readonly value: T }> {
  const began = performance.now()
  const rollback = rollbackOf(work)
  return withNft(work, async (nft) => {
    const value = await transactWith(nft, { work, tables, rollback }, (batch) => steps(batch, nft))
    return { value, ...changeOf(nft, began, rollback) }
  })
}

/** Tables that a transaction changes, and the rollback of the transaction. */
export interface Undoable {
  readonly work: Work
  readonly tables: readonly TableName[]
  readonly rollback: Rollback
}

/** Runs `plan`, reads the tables' content for the rollback, and then commits the changes. */
export function transactWith<T>(nft: Nft, { work, tables, rollback }: Undoable, plan: (batch: Batch) => T): Promise<T> {
  const recorded = (batch: Batch): T => {
    const value = plan(batch)
    if (batch.size > 0) rollback.begin(contentFor(nft, batch, tables))
    return value
  }
  return nft.transact(recorded, { ...retryOptionsOf(work), onCommit: rollback.committed })
}

/** Commits changes that do not depend on the current rules of other processes. */
export async function runWrite(
  work: Work,
  tables: readonly TableName[],
  fill: (batch: Batch) => unknown,
): Promise<Change> {
  const began = performance.now()
  const rollback = rollbackOf(work)
  return withNft(work, async (nft) => {
    const batch = new Batch({ echo: true })
    fill(batch)
    if (batch.size > 0) {
      rollback.begin(await withRetries('read', () => contentFor(nft, batch, tables), retryOptionsOf(work)))
      rollback.committed(nft.commit(batch))
    }
    return changeOf(nft, began, rollback)
  })
}

/**
 * Lets the kernel validate the batch that `apply` would write. Throws `NftError('REFUSED')` with every rule that the
 * kernel refuses.
 */
export async function checkRuleset(work: Work, { tables }: Ruleset): Promise<void> {
  await withNft(work, (nft) => {
    const batch = new Batch()
    writeDifference(batch, nft, tables)
    nft.check(batch)
  })
}

/** Reads only the content that the rollback of the batch needs. */
function contentFor(nft: Nft, batch: Batch, tables: readonly TableName[]): Snapshot {
  return snapshot(nft, tables, messagesOf(batch).frees ? undefined : ['table', 'chain', 'set'])
}
