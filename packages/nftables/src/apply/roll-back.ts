import type { Batch } from '../wire/batch/batch.ts'
import type { Nft } from '../wire/nft.ts'
import { type Fault, isNftError } from '../wire/nft-error.ts'
import { chainKey, type Effect, effectOf, setKey, type TransactionRecord } from './effect.ts'
import { removeCreated } from './remove-created.ts'
import { restoreDeleted } from './restore-deleted.ts'

/**
 * Rolls back one transaction of this package. Created objects that another program uses stay.
 *
 * @throws NftError
 */
export async function rollBack(nft: Nft, steps: TransactionRecord): Promise<void> {
  const effect = effectOf(steps)
  const inUse = new Set<string>()
  for (;;) {
    try {
      await nft.transact((batch) => inverse(batch, nft, steps, effect, inUse), { timeoutMs: TIMEOUT_MS })
      return
    } catch (error) {
      const busy = isNftError(error) ? error.faults.flatMap((fault) => busyKey(fault) ?? []) : []
      if (busy.every((key) => inUse.has(key))) throw error
      for (const key of busy) inUse.add(key)
    }
  }
}

/** Time limit for retries of a rollback. A plugin has 2 s for its whole rollback. */
const TIMEOUT_MS = 1500

function inverse(
  batch: Batch,
  nft: Nft,
  { before }: TransactionRecord,
  effect: Effect,
  inUse: ReadonlySet<string>,
): void {
  restoreDeleted(batch, before, effect, removeCreated(batch, nft, effect, inUse))
}

/** Key of a chain or set that the kernel refused to delete because of its use. */
function busyKey({ code, kind, family, table, chain, set }: Fault): string | undefined {
  if (code !== 'EBUSY' || family === undefined || table === undefined) return undefined
  if (kind === 'chain' && chain !== undefined) return chainKey({ family, table, chain })
  return kind === 'set' && set !== undefined ? setKey({ family, table, set }) : undefined
}
