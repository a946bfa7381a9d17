import { keptIn } from '@cni/netns/handle'
import { nameOf } from '../encode/encode-table.ts'
import { snapshot } from '../wire/snapshot.ts'
import { present } from './present.ts'
import type { Change } from './report.ts'
import { changeOf, type OwnedTables, type Work, wayBack, withNft } from './work.ts'

/** Deletes the tables of a ruleset with everything in them. A missing table is no error; a `kept` namespace keeps all. */
export async function removeRuleset(work: Work, { tables }: OwnedTables): Promise<Change> {
  const began = performance.now()
  const names = tables.map(nameOf)
  const back = wayBack(work, names)
  return withNft(work, (nft) => {
    if (keptIn(work.place.netns) !== undefined) return changeOf(nft, began, back)
    back.written = nft.transact((batch) => {
      const found = present(nft, names)
      if (found.length === 0) return false
      back.before = snapshot(nft, found)
      back.register()
      for (const name of found) batch.deleteTable(name)
      return true
    })
    return changeOf(nft, began, back)
  })
}
