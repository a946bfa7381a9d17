import { findFilter } from '@cni/ebpf'
import { type NetnsTarget, type RtnlPort, sysctl } from '@cni/netns'
import { sysctlSteps } from '../network/network.ts'
import { withoutReversePath } from '../network/network-plan.ts'
import { routeSteps, ruleSteps } from '../network/route-steps.ts'
import { mappedAddress } from '../objects/maps.ts'
import type { Objects } from '../objects/objects.ts'
import { applyRules, type RollbackNamespace, type RulesBy, rulesDrift } from '../rules.ts'
import type { Step } from '../step.ts'
import { hookSteps, insideHooks, podHooks, unhook, ztunnelHooks } from './filters.ts'
import {
  dropEntry,
  isThere,
  linksOf,
  missing,
  type PodEntry,
  podEntries,
  putEntry,
  type Undo,
  unexpected,
} from './pod-entries.ts'
import { type Redirection, redirectionSteps } from './redirection-steps.ts'
import type { Serving } from './serving.ts'

/** Returns steps that restore missing pins of eBPF maps and programs in the bpf file system. */
export const pinSteps = (objects: Objects): Step[] =>
  objects.missingPins().map((name) => ({ what: `missing pin ${name}`, run: async () => objects.restorePin(name) }))

/** Returns steps that prepare ztunnel's namespace to accept the redirected packets. */
export async function insideSteps(
  rtnl: RtnlPort,
  namespace: RollbackNamespace,
  { ends, inside }: Pick<Serving, 'ends' | 'inside'>,
  objects: Objects,
  by: RulesBy,
): Promise<Step[]> {
  const { network, rules } = inside
  const drift = rules === undefined ? [] : await rulesDrift(namespace.netns, rules, by)
  return [
    ...(await sysctlSteps(sysctl(namespace), network.sysctls)),
    ...(await routeSteps(rtnl, network.routes)),
    ...(await ruleSteps(rtnl, network.rules)),
    ...drift.map((what, at) => ({
      what,
      run: async () => (rules === undefined || at > 0 ? undefined : applyRules(namespace, rules, by)),
    })),
    ...(await hookSteps(rtnl, ends.inner.index, insideHooks(objects.variant), objects)),
  ].map((step) => ({ ...step, what: `ztunnel: ${step.what}` }))
}

/** Returns steps that prepare the node to send packets to ztunnel and accept packets from ztunnel. */
export async function ztunnelSteps(
  rtnl: RtnlPort,
  netns: NetnsTarget,
  { ends, nodeIp }: Serving,
  redirection: Redirection,
  objects: Objects,
  undo?: Undo,
): Promise<Step[]> {
  const { host_ip_info } = objects.maps
  const steps = [
    // Turns reverse path filtering off: packets from ztunnel arrive on its veth with source addresses of pods.
    ...(await sysctlSteps(sysctl(netns), withoutReversePath(['all', ends.outer.name]))),
    ...(await hookSteps(rtnl, ends.outer.index, ztunnelHooks, objects)),
  ]
  const ipBefore = host_ip_info.get(0)
  if (ipBefore.address !== nodeIp) {
    undo?.(() => host_ip_info.set(0, ipBefore))
    const run = async () => host_ip_info.set(0, mappedAddress(nodeIp))
    steps.push({ what: `the node's address is ${ipBefore.address}, not ${nodeIp}`, run })
  }
  return [...steps, ...(await redirectionSteps(rtnl, objects, redirection, undo))]
}

/**
 * Returns steps that restore the eBPF redirection of all enrolled pods. Calls `onMissingLink` with each entry whose
 * link is missing.
 */
export async function podSteps(
  rtnl: RtnlPort,
  objects: Objects,
  known: ReadonlyMap<string, PodEntry>,
  onMissingLink: (entry: PodEntry) => void,
): Promise<Step[]> {
  const { maps } = objects
  const there = new Map(podEntries(maps).map((entry) => [entry.address, entry]))
  const links = new Set((await rtnl.getLinks()).map(({ index }) => index))
  const used = linksOf(known.values())
  // Detaches the eBPF programs first, because attached programs drop the packets of pods without entries.
  const removeEntry = async (address: string): Promise<void> => {
    const link = there.get(address)?.target.ifindex
    if (link !== undefined && !used.has(link)) await unhook(rtnl, link, podHooks)
    dropEntry(maps, address)
  }
  const steps: Step[] = []
  for (const entry of known.values()) {
    const { address, uid, target } = entry
    if (!links.has(target.ifindex)) {
      const run = async () => {
        await removeEntry(address)
        onMissingLink(entry)
      }
      steps.push({ what: `the link of ${address} of pod ${uid} has gone`, run })
      continue
    }
    if (!isThere(there, entry)) steps.push({ what: missing(entry), run: async () => putEntry(maps, entry) })
    steps.push(...(await hookSteps(rtnl, target.ifindex, podHooks, objects)))
  }
  for (const entry of there.values()) {
    if (!known.has(entry.address)) steps.push({ what: unexpected(entry), run: () => removeEntry(entry.address) })
  }
  return steps
}

/** Returns steps that detach eBPF programs from links without enrolled pods: attached programs drop packets. */
export async function detachUnusedSteps(rtnl: RtnlPort, known: Iterable<PodEntry>): Promise<Step[]> {
  const used = linksOf(known)
  const steps: Step[] = []
  for (const { index, name } of await rtnl.getLinks()) {
    if (used.has(index)) continue
    const there = await Promise.all(podHooks.map((hook) => findFilter(rtnl, { ...hook, link: index })))
    if (there.every((filter) => filter === undefined)) continue
    const what = `no address is captured on link ${index} (${name}), which has programs`
    steps.push({ what, run: () => unhook(rtnl, index, podHooks) })
  }
  return steps
}
