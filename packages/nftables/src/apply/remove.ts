import { keptIn } from '@cni/netns/handle'
import { nameOf } from '../encode/encode-table.ts'
import type { Batch } from '../wire/batch.ts'
import { snapshot } from '../wire/snapshot.ts'
import { present } from './present.ts'
import type { Change } from './report.ts'
import { changeOf, type OwnedTables, patienceOf, type Work, wayBack, withNft } from './work.ts'

/** Deletes the tables of a ruleset with everything in them. A missing table is no error; a `kept` namespace keeps all. */
export async function removeRuleset(work: Work, { tables }: OwnedTables): Promise<Change> {
  const began = performance.now()
  const names = tables.map(nameOf)
  const back = wayBack(work)
  return withNft(work, async (nft) => {
    if (keptIn(work.place.netns) !== undefined) return changeOf(nft, began, back)
    const plan = (batch: Batch) => {
      const found = present(nft, names)
      if (found.length > 0) back.begin(snapshot(nft, found))
      for (const name of found) batch.deleteTable(name)
    }
    await nft.transact(plan, { ...patienceOf(work), told: back.told })
    return changeOf(nft, began, back)
  })
}
