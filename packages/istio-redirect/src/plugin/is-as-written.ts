import type { Netns } from '@cni/netns/handle'
import type { AttachmentRecord } from '../state/attachments.ts'
import { openTables } from './open-tables.ts'

/**
 * Whether rules are certainly what was written: nobody has changed nf_tables of the namespace since, and legacy iptables is
 * not in use there. Else they have to be read. Most calls end here, and neither make the rules nor read what is there.
 */
export function isAsWritten(netns: Netns, { applied, backend, generation }: AttachmentRecord): boolean {
  if (!applied || generation === undefined) return false
  if (backend !== 'nft' && backend !== 'nftables') return false
  using tables = openTables(netns, backend === 'nftables')
  return tables?.generation === generation
}
