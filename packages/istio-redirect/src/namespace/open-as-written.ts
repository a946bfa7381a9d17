import type { Netns } from '@cni/netns/handle'
import type { FreshNftables } from '@cni/nftables/fresh'
import type { AttachmentRecord } from '../state/attachments.ts'
import { recordedBackend } from '../state/recorded-backend.ts'
import { openTables } from './open-tables.ts'

/** Opens a pod's nftables tables if its rules are certainly unchanged since ADD. */
export function openAsWritten(netns: Netns, recorded: AttachmentRecord): FreshNftables | undefined {
  const { applied, generation } = recorded
  const backend = recordedBackend(recorded)
  if (!applied || generation === undefined || backend === undefined || backend === 'iptables-legacy') return undefined
  const tables = openTables(netns, backend === 'nftables')
  if (tables?.generation === generation) return tables
  tables?.[Symbol.dispose]()
  return undefined
}
