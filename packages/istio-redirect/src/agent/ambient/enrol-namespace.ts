import {
  type ApplyReport,
  driftText,
  type Iptables,
  type IptablesOptions,
  iptables,
  type OwnChain,
  type Ruleset,
} from '@cni/iptables'
import { type NetnsTarget, openRtnl, readFile } from '@cni/netns'
import { localRoute, markRule, type NetworkItem } from '../../policy-route.ts'
import { istioRestoreText } from '../../redirect/text.ts'
import { type PodCapture, podRules } from './pod-rules.ts'
import { replyRoute } from './ztunnel.ts'

/** How a pod's namespace is worked on. */
export interface PodNamespaceOptions extends Pick<IptablesOptions, 'backend' | 'programs'> {
  /** Chains of Istio's that are none of these rules, and what leads to them, are taken out. Default: true. */
  readonly reconcile?: boolean | undefined
}

/** What {@link enrolNamespace} did. */
export interface EnrolReport {
  /** Of the rules; `unchanged` says nothing about routes. */
  readonly plan: ApplyReport['plan']
  /** What was added to the network besides, in words. */
  readonly added: readonly string[]
  readonly durationMs: number
}

/**
 * Leads the traffic of a pod's namespace to the ztunnel that listens in it: the routes by which answers come back to
 * ztunnel, the policy rules that lead to them, then the rules. What is there already is left alone, what differs is put
 * right, and when anything fails nothing of this call stays.
 *
 * @example
 * ```ts
 * import { defaultProbeSource, enrolNamespace, releaseNamespace } from '@cni/istio-redirect/agent'
 * import { netns } from '@cni/netns'
 *
 * const capture = { ipv6: true, dnsCapture: true, bypassInbound: false, virtualInterfaces: [], probeSource: defaultProbeSource }
 * export async function tryOut(path: string) {
 *   using pod = netns.open(path)
 *   const { plan } = await enrolNamespace(pod, capture) // 'fresh'; a second time 'unchanged'
 *   await releaseNamespace(pod, capture)
 *   return plan
 * }
 * ```
 */
export async function enrolNamespace(
  netns: NetnsTarget,
  capture: PodCapture,
  options: PodNamespaceOptions = {},
): Promise<EnrolReport> {
  const started = performance.now()
  const place = await openPlace(netns, capture, options)
  using rtnl = await openRtnl(netns)
  const added: NetworkItem[] = []
  try {
    for (const item of place.items) {
      if (await item.present(rtnl)) continue
      await item.add(rtnl)
      added.push(item)
    }
    const { plan } = await place.tables.apply(await place.rules())
    return { plan, added: added.map(({ what }) => what), durationMs: performance.now() - started }
  } catch (error) {
    await takeBack(netns, added, error)
    throw error
  }
}

/** What in a pod's namespace is not as {@link enrolNamespace} would leave it, in words; nothing when all is well. */
export async function namespaceDrift(
  netns: NetnsTarget,
  capture: PodCapture,
  options: PodNamespaceOptions = {},
): Promise<string[]> {
  const { tables, rules, items } = await openPlace(netns, capture, options)
  using rtnl = await openRtnl(netns)
  const missing: string[] = []
  for (const item of items) if (!(await item.present(rtnl))) missing.push(`missing ${item.what}`)
  const drift = driftText(await tables.diff(await rules()))
  return [...missing, ...drift.split('\n').filter((line) => line !== '')]
}

/** Takes everything out of a pod's namespace again, of both families whatever they were enrolled with. */
export async function releaseNamespace(
  netns: NetnsTarget,
  capture: PodCapture,
  options: PodNamespaceOptions = {},
): Promise<void> {
  const { tables, rules } = await openPlace(netns, capture, options)
  // Packets that are marked already shall not lose their way before the rules that mark are gone.
  await tables.remove(await rules())
  using rtnl = await openRtnl(netns)
  for (const item of items(['ipv4', 'ipv6']).toReversed()) await item.remove(rtnl)
}

// internal

interface Place {
  readonly tables: Iptables
  readonly items: readonly NetworkItem[]
  rules(): Promise<Ruleset>
}

async function openPlace(
  netns: NetnsTarget,
  capture: PodCapture,
  { backend, programs, reconcile = true }: PodNamespaceOptions,
): Promise<Place> {
  const disabled = capture.ipv6 ? await readFile(netns, '/proc/sys/net/ipv6/conf/lo/disable_ipv6') : undefined
  // Without the file the kernel has no IPv6 at all.
  const rules = podRules({ ...capture, ipv6: disabled !== undefined })
  const tables = iptables(netns, { backend, programs, print: istioRestoreText })
  return {
    tables,
    items: disabled === undefined ? items(['ipv4']) : items(['ipv4', 'ipv6'], disabled.trim() === '1'),
    rules: async () => (reconcile ? withForeignChains(tables, rules) : rules),
  }
}

/** In the order in which they are added. */
const items = (families: readonly ('ipv4' | 'ipv6')[], loWithoutIpv6 = false): NetworkItem[] => [
  ...families.filter((family) => family === 'ipv4' || !loWithoutIpv6).map((family) => localRoute(family, replyRoute)),
  ...families.map((family) => markRule(family, replyRoute)),
]

/** Chains that something else of Istio's left are taken for ours: those that no rule needs are removed. */
async function withForeignChains(tables: Iptables, rules: Ruleset): Promise<Ruleset> {
  const key = ({ table, name }: OwnChain) => `${table} ${name}`
  const own = new Map(rules.chains.map((chain) => [key(chain), chain]))
  const { ipv4, ipv6 } = await tables.snapshot()
  for (const [table, chains] of [...(ipv4?.tables ?? []), ...(ipv6?.tables ?? [])]) {
    for (const name of chains.keys()) if (istioChain.test(name)) own.set(key({ table, name }), { table, name })
  }
  return { ...rules, chains: [...own.values()] }
}

const istioChain = /^ISTIO_[\w.-]{1,22}$/

async function takeBack(netns: NetnsTarget, added: readonly NetworkItem[], first: unknown): Promise<void> {
  if (added.length === 0) return
  try {
    using rtnl = await openRtnl(netns)
    for (const item of added.toReversed()) await item.remove(rtnl)
  } catch (second) {
    throw new AggregateError([first, second], 'the namespace could not be put back as it was')
  }
}
