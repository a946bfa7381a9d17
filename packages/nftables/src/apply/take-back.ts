import type { Batch } from '../wire/batch/batch.ts'
import type { Nft } from '../wire/nft.ts'
import { type Fault, isNftError } from '../wire/nft-error.ts'
import { chainKey, type Effect, effectOf, type OwnSteps, setKey } from './own-steps.ts'
import { putBackGone } from './put-back-gone.ts'
import { removeMade } from './remove-made.ts'

/**
 * Rolls back one transaction of this package. Created objects that another program uses stay.
 *
 * @throws NftError
 */
export async function takeBack(nft: Nft, steps: OwnSteps): Promise<void> {
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

function inverse(batch: Batch, nft: Nft, { before }: OwnSteps, effect: Effect, inUse: ReadonlySet<string>): void {
  putBackGone(batch, before, effect, removeMade(batch, nft, effect, inUse))
}

/** Key of a chain or set that the kernel refused to delete because of its use. */
function busyKey({ code, kind, family, table, chain, set }: Fault): string | undefined {
  if (code !== 'EBUSY' || family === undefined || table === undefined) return undefined
  if (kind === 'chain' && chain !== undefined) return chainKey({ family, table, chain })
  return kind === 'set' && set !== undefined ? setKey({ family, table, set }) : undefined
}
