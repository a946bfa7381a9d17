import { familyWord } from '../wire/family.ts'
import { tableIn } from '../wire/records.ts'
import { type Snapshot, snapshot } from '../wire/snapshot.ts'
import type { TableName } from '../wire/specs.ts'
import { present } from './present.ts'
import { putBack } from './put-back.ts'
import type { Change } from './report.ts'
import { changeOf, type Work, wayBack, withNft } from './work.ts'

/** What there is of some tables, or of all. */
export async function takeSnapshot(work: Work, tables?: readonly TableName[]): Promise<Snapshot> {
  return withNft(work, (nft) => snapshot(nft, tables === undefined ? undefined : present(nft, tables)))
}

/** Makes the tables of a snapshot what it has of them. */
export async function restoreSnapshot(work: Work, saved: Snapshot): Promise<Change> {
  const began = performance.now()
  const names = tablesIn(saved)
  const back = wayBack(work, names)
  return withNft(work, (nft) => {
    const found = present(nft, names)
    back.before = found.length === 0 ? undefined : snapshot(nft, found)
    back.register()
    putBack(nft, names, saved)
    back.written = names.length > 0
    return changeOf(nft, began, back)
  })
}

function tablesIn({ messages }: Snapshot): TableName[] {
  return messages.flatMap(({ kind, body }) => {
    const family = kind === 'table' ? familyWord(body[0]) : undefined
    return family === undefined ? [] : [{ family, table: tableIn(family, Buffer.from(body)).table }]
  })
}
