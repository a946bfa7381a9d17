import type { Netns } from '@cni/netns/handle'
import type { FreshNftables } from '@cni/nftables/fresh'
import type { AttachmentRecord } from '../state/attachments.ts'
import { recordedBackend } from '../state/recorded-backend.ts'
import { openTables } from './open-tables.ts'

/**
 * Opens the tables of an attachment if its rules are certainly unchanged since ADD wrote them: nf_tables of the
 * namespace has the recorded generation, and legacy iptables is not in use there. Returns `undefined` if the rules have
 * to be read.
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
