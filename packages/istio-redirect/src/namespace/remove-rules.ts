import { iptables, type Ruleset } from '@cni/iptables'
import { chainsFor } from '@cni/iptables/rules'
import { redirectRules } from '@cni/istio-rules'
import type { Netns } from '@cni/netns/handle'
import type { DelContext } from '@cni/skel'
import type { Conf } from '../conf/conf.ts'
import type { AttachmentRecord } from '../state/attachments.ts'
import { recordedBackend } from '../state/recorded-backend.ts'
import { wasFresh } from '../state/was-fresh.ts'
import { removeFromNamespace } from './namespace-network.ts'
import { clearNativeTables, removeNativeTables } from './native-tables.ts'

/** Where a DEL removes rules. */
export type Where = Required<Pick<DelContext<Conf>, 'signal' | 'log'>> & { readonly netns: Netns }

/** Takes out what is recorded, as it was written, and tables that came with it and are empty now. */
export async function removeRecorded(where: Where, recorded: AttachmentRecord): Promise<void> {
  await removeWritten(where, recorded)
  const { dev, ino } = recorded.netns
  if (!wasFresh(recorded) || Number(where.netns.dev) !== dev || Number(where.netns.ino) !== ino) return
  await iptables(where).removeEmptyTables()
}

async function removeWritten(where: Where, recorded: AttachmentRecord): Promise<void> {
  const backend = recordedBackend(recorded)
  if (backend === 'nftables') {
    await removeNativeTables(where)
    return
  }
  const rules = redirectRules(recorded.rules)
  // A complete ADD says all there is, and one process takes it away; an incomplete one has to be looked for.
  const { families } = recorded
  if (recorded.applied) await iptables(where, { waitSeconds, backend, families }).remove(inUse(rules, recorded))
  else await iptables(where, { waitSeconds, backend }).remove(rules)
}

/** All that can be ours. Nothing usable recorded means skipped, or set up by Istio's own plugin, or a run directory that was lost. */
export async function removeWithoutRecord(where: Where): Promise<void> {
  const removed = await clearNativeTables(where)
  const change = await iptables(where, { waitSeconds }).removeChains('ISTIO_')
  const families = removed ? allFamilies : change.families
  if (families.length === 0) return
  await removeFromNamespace(where.netns, { families, tproxy: TPROXY })
}

// internal

/** Without the chains that only other modes have. */
function inUse(rules: Ruleset, { families }: AttachmentRecord): Ruleset {
  const used = new Set(families.flatMap((family) => chainsFor(rules, family)))
  return { ...rules, chains: rules.chains.filter((chain) => used.has(chain)) }
}

/** Mark and route table of TPROXY, unless a command line names others. */
const TPROXY = { mark: 1337, table: 133 } as const

/** Native rules are those of both in one. */
const allFamilies = ['ipv4', 'ipv6'] as const

/** Seconds for the lock of the legacy back end: less than for all programs, so that the log can say that it was the lock. */
const waitSeconds = 4
