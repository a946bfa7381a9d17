import { iptables, type Ruleset } from '@cni/iptables'
import { chainsFor } from '@cni/iptables/rules'
import { redirectRules } from '@cni/istio-rules'
import type { Netns } from '@cni/netns/handle'
import type { DelContext } from '@cni/skel'
import type { Conf } from '../conf/conf.ts'
import type { AttachmentRecord } from '../state/attachments.ts'
import { recordedBackend } from '../state/recorded-backend.ts'
import { wasEmpty } from '../state/was-empty.ts'
import { removeFromNamespace } from './namespace-network.ts'
import { clearNativeTables, removeNativeTables } from './native-tables.ts'

/** Namespace in which a DEL removes the pod's rules, with the deadline and the log of the DEL. */
export type Where = Required<Pick<DelContext<Conf>, 'signal' | 'log'>> & { readonly netns: Netns }

/** Removes the recorded rules of a pod, and the empty tables that ADD created. */
export async function removeRecorded(where: Where, recorded: AttachmentRecord): Promise<void> {
  await removeWritten(where, recorded)
  const { dev, ino } = recorded.netns
  if (!wasEmpty(recorded) || Number(where.netns.dev) !== dev || Number(where.netns.ino) !== ino) return
  await iptables(where).removeEmptyTables()
}

async function removeWritten(where: Where, recorded: AttachmentRecord): Promise<void> {
  const backend = recordedBackend(recorded)
  if (backend === 'nftables') {
    await removeNativeTables(where)
    return
  }
  const rules = redirectRules(recorded.rules)
  // Searches only recorded families after a complete ADD, because each family costs a process.
  const { families } = recorded
  if (recorded.applied) await iptables(where, { waitSeconds, backend, families }).remove(inUse(rules, recorded))
  else await iptables(where, { waitSeconds, backend }).remove(rules)
}

/** Removes all chains and tables with the plugin's names, because no usable record exists. */
export async function removeWithoutRecord(where: Where): Promise<void> {
  const removed = await clearNativeTables(where)
  const change = await iptables(where, { waitSeconds }).removeChains('ISTIO_')
  const families = removed ? allFamilies : change.families
  if (families.length === 0) return
  await removeFromNamespace(where.netns, { families, tproxy: TPROXY })
}

// internal

/** Copies a ruleset. Keeps only the chains that the rules of the recorded families use. */
function inUse(rules: Ruleset, { families }: AttachmentRecord): Ruleset {
  const used = new Set(families.flatMap((family) => chainsFor(rules, family)))
  return { ...rules, chains: rules.chains.filter((chain) => used.has(chain)) }
}

/** Default packet mark and routing table of TPROXY. DEL uses the defaults if it has no usable record. */
const TPROXY = { mark: 1337, table: 133 } as const

/** IPv4 and IPv6, because native nftables rules always cover both families. */
const allFamilies = ['ipv4', 'ipv6'] as const

/** Seconds that DEL waits for the lock of legacy iptables, less than DEL's deadline. */
const waitSeconds = 4
