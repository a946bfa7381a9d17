import { iptables } from '@cni/iptables'
import { isObject, parseJson } from '@cni/types'
import type { FreshRecord } from '../decide/fresh-record.ts'
import { callAttachments } from '../state/plain-attachments.ts'
import { recordedBackend } from '../state/recorded-backend.ts'
import type { FreshPlace } from './fresh-place.ts'
import { writerFor } from './writer-for.ts'

/** Takes back rules that were written at once, by their record; no chain of iptables was there before. */
export async function removeFresh(
  { netns, runDir, tables }: Pick<FreshPlace, 'netns' | 'runDir' | 'tables'>,
  { begun }: FreshRecord,
): Promise<void> {
  const written = parseJson(begun, 'a record')
  const { network, containerID, ifName } = isObject(written) ? written : {}
  const key = { network: String(network), containerID: String(containerID), ifName: String(ifName) }
  const recorded = await callAttachments(runDir).read(key)
  if (recorded === undefined) return
  const writer = await writerFor(netns, recorded.rules, recordedBackend(recorded))
  await writer.remove()
  if (tables.backend === 'nft') await iptables(netns).removeEmptyTables()
}
