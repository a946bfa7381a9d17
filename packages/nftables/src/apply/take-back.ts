import type { Batch } from '../wire/batch/batch.ts'
import type { Nft } from '../wire/nft.ts'
import { type Fault, isNftError } from '../wire/nft-error.ts'
import { chainKey, type Effect, effectOf, type OwnSteps, setKey } from './own-steps.ts'
import { putBackGone } from './put-back-gone.ts'
import { removeMade } from './remove-made.ts'

/**
 * Takes back what a transaction of ours did, and nothing else: what it made goes, what it deleted comes back. What others
 * made or deleted since stays so, and so does what they use by now: a chain they jump to or have rules in, a set with
 * elements of theirs, a table with anything of theirs.
 *
 * @throws NftError
 */
export async function takeBack(nft: Nft, steps: OwnSteps): Promise<void> {
  const effect = effectOf(steps)
  const inUse = new Set<string>()
  for (;;) {
    try {
      await nft.transact((batch) => inverse(batch, nft, steps, effect, inUse), { patienceMs: PATIENCE })
      return
    } catch (error) {
      const busy = isNftError(error) ? error.faults.flatMap((fault) => busyKey(fault) ?? []) : []
      if (busy.every((key) => inUse.has(key))) throw error
      for (const key of busy) inUse.add(key)
    }
  }
}

/** A plugin has 2 s for all that it takes back. */
const PATIENCE = 1500

function inverse(batch: Batch, nft: Nft, { before }: OwnSteps, effect: Effect, inUse: ReadonlySet<string>): void {
  putBackGone(batch, before, effect, removeMade(batch, nft, effect, inUse))
}

/** The key of a chain or set that another program's rule or element uses. */
function busyKey({ code, kind, family, table, chain, set }: Fault): string | undefined {
  if (code !== 'EBUSY' || family === undefined || table === undefined) return undefined
  if (kind === 'chain' && chain !== undefined) return chainKey({ family, table, chain })
  return kind === 'set' && set !== undefined ? setKey({ family, table, set }) : undefined
}
