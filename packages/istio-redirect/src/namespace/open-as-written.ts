import type { Netns } from '@cni/netns/handle'
import type { FreshNftables } from '@cni/nftables/fresh'
import type { AttachmentRecord } from '../state/attachments.ts'
import { recordedBackend } from '../state/recorded-backend.ts'
import { openTables } from './open-tables.ts'

/**
 * Opens the nftables tables of a pod if its rules are certainly unchanged since ADD wrote them. The namespace must have
 * the recorded nf_tables generation and no legacy iptables. Returns `undefined` if the caller has to read the rules.
 */
export function openAsWritten(netns: Netns, recorded: AttachmentRecord): FreshNftables | undefined {
  const { applied, generation } = recorded
  const backend = recordedBackend(recorded)
  if (!applied || generation === undefined || backend === undefined || backend === 'iptables-legacy') return undefined
  const tables = openTables(netns, backend === 'nftables')
  if (tables?.generation === generation) return tables
  tables?.[Symbol.dispose]()
  return undefined
}
