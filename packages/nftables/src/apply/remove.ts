import { nameOf } from '../encode/encode-table.ts'
import { snapshot } from '../wire/snapshot.ts'
import { present } from './present.ts'
import type { Change } from './report.ts'
import { changeOf, type OwnedTables, type Work, wayBack, withNft } from './work.ts'

/** Deletes the tables of a ruleset with everything in them; those that are not there are no error. */
export async function removeRuleset(work: Work, { tables }: OwnedTables): Promise<Change> {
  const began = performance.now()
  const names = tables.map(nameOf)
  const back = wayBack(work, names)
  return withNft(work, (nft) => {
    nft.transact((batch) => {
      const found = present(nft, names)
      back.written = found.length > 0
      if (!back.written) return
      back.before = snapshot(nft, found)
      back.register()
      for (const name of found) batch.deleteTable(name)
    })
    return changeOf(nft, began, back)
  })
}
