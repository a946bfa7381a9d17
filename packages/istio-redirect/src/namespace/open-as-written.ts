import type { Netns } from '@cni/netns/handle'
import type { FreshNftables } from '@cni/nftables/fresh'
import type { AttachmentRecord } from '../state/attachments.ts'
import { openTables } from './open-tables.ts'

/**
 * Opens the tables of an attachment if its rules are certainly those that ADD wrote: nobody has changed nf_tables of the
 * namespace since, and legacy iptables is not in use there. `undefined` if they have to be read.
 */
export function openAsWritten(
  netns: Netns,
  { applied, backend, generation }: AttachmentRecord,
): FreshNftables | undefined {
  if (!applied || generation === undefined || (backend !== 'nft' && backend !== 'nftables')) return undefined
  const tables = openTables(netns, backend === 'nftables')
  if (tables?.generation === generation) return tables
  tables?.[Symbol.dispose]()
  return undefined
}
