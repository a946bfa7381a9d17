import { openFresh as openIptables } from '@cni/iptables/fresh'
import { tableNames } from '@cni/istio-rules'
import type { Netns } from '@cni/netns/handle'
import { type FreshNftables, openFresh as openNftables } from '@cni/nftables/fresh'
import { INITIAL_GENERATION } from '../initial-generation.ts'
import type { AttachmentRecord } from '../state/attachments.ts'
import { recordedBackend } from '../state/recorded-backend.ts'

/** Opens the tables that ADD writes to. Returns `undefined` if only the iptables programs can write the tables. */
export const openTables = (netns: Netns, isNative: boolean): FreshNftables | undefined =>
  isNative ? openNftables(netns, ownTables()) : openIptables(netns)

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

/**
 * Removes all nftables tables of the pod's namespace if only one ADD of the plugin has changed nf_tables there. In this
 * case, all tables belong to the plugin. Returns `false` in any other case. The caller then has to read the tables.
 */
export function flushIfOnlyOurs(netns: Netns, recorded: AttachmentRecord): boolean {
  if (recorded.generation !== INITIAL_GENERATION + 1 || !isSame(netns, recorded)) return false
  using tables = openAsWritten(netns, recorded)
  return tables?.flush() ?? false
}

// internal

const ownTables = () => tableNames.map((table) => ({ family: 'inet', table }) as const)

const isSame = ({ dev, ino }: Netns, { netns }: AttachmentRecord): boolean =>
  Number(dev) === netns.dev && Number(ino) === netns.ino
