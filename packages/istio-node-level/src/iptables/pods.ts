import { type NetnsTarget, openRtnl, type RtnlPort, sysctl } from '@cni/netns'
import { messageOf } from '@cni/types'
import type { EnrolledAddress, KernelReport, NodePod } from '../kernel-side.ts'
import { tables } from '../names.ts'
import { ipv4, linkToPod } from '../network/find-links.ts'
import { sysctlSteps } from '../network/network.ts'
import { newRoute, withoutReversePath } from '../network/network-plan.ts'
import { routeText } from '../network/network-text.ts'
import { routesThere } from '../network/route-steps.ts'
import { NodeLevelError } from '../node-level-error.ts'
import { runSteps } from '../step.ts'
import { withRollback } from '../with-rollback.ts'
import type { NodeFacts } from './facts.ts'
import { podRoute } from './node-plan.ts'
import { podEntries, podSet, putEntries } from './pod-set.ts'

/** Result of {@link enrolAddresses}, with the enrolled addresses of a pod. */
export interface Enrolled extends KernelReport {
  /** Redirected addresses of the pod, in the kernel's notation. */
  readonly addresses: readonly string[]
  /** Addresses of the pod that are no longer redirected. */
  readonly removed: readonly string[]
}

/**
 * Redirects the given IPv4 addresses of a pod to ztunnel by ipset entries and routes.
 *
 * @throws {@link NodeLevelError} `ADDRESS`, `BRIDGE`, `NO_ROUTE`.
 */
export async function enrolAddresses(netns: NetnsTarget, pod: NodePod, facts: NodeFacts): Promise<Enrolled> {
  const { uid } = pod
  const addresses = [...new Set(pod.addresses.flatMap((each) => ipv4(each) ?? []))]
  for (const address of addresses) refuseAddress(address, uid, facts)
  const warnings = addresses.length === 0 ? [`pod ${uid} has no address of IPv4, and is not captured`] : []
  const changed = await withRollback(async (inNamespace) => {
    const namespace = inNamespace(netns)
    using rtnl = await openRtnl(namespace)
    const links = await Promise.all(addresses.map((address) => linkToPod(rtnl, address, `pod ${uid}`)))
    const entries = (await podEntries(netns)) ?? []
    const others = new Map(entries.map((each) => [each.address, each.uid]))
    const missing = addresses.filter((address) => others.get(address) !== uid)
    await putEntries(
      netns,
      missing.map((address) => ({ address, uid })),
      entries,
      namespace.undo,
    )
    const routed = await routeTo(rtnl, addresses, facts)
    warnings.push(
      ...(await openPath(
        netns,
        links.map(({ name }) => name),
      )),
    )
    return [
      ...missing.map((address) => {
        const other = others.get(address)
        return other === undefined ? `${address} of pod ${uid}` : `${address} of pod ${uid} was that of pod ${other}`
      }),
      ...routed,
    ]
  })
  const removed = await releaseAddresses(netns, (each) => each.uid === uid && !addresses.includes(each.address))
  return { addresses, removed, changed: [...changed, ...removed.map((each) => `${each} no more of ${uid}`)], warnings }
}

/** Stops the redirection of addresses by iptables. Resolves to the addresses that were redirected. */
export async function releaseAddresses(
  netns: NetnsTarget,
  which: (entry: EnrolledAddress) => boolean,
): Promise<string[]> {
  const gone = ((await podEntries(netns)) ?? []).filter(which).map(({ address }) => address)
  if (gone.length === 0) return []
  using rtnl = await openRtnl(netns)
  await podSet(netns).delete(gone)
  for (const address of gone) {
    await rtnl.deleteRoute({ family: 'ipv4', cidr: `${address}/32`, table: tables.inbound })
  }
  return gone
}

// internal

function refuseAddress(address: string, uid: string, { hostIp, ztunnelIp }: NodeFacts): void {
  const whose = address === hostIp ? "the node's" : address === ztunnelIp ? "ztunnel's" : undefined
  if (whose === undefined) return
  throw new NodeLevelError('ADDRESS', `The address ${address} of pod ${uid} is ${whose}: a pod in the mesh has its own`)
}

async function routeTo(rtnl: RtnlPort, addresses: readonly string[], facts: NodeFacts): Promise<string[]> {
  const there = new Set((await routesThere(rtnl)).map(({ text }) => text))
  const missing = addresses.map((address) => podRoute(address, facts)).filter((route) => !there.has(routeText(route)))
  for (const route of missing) await rtnl.replaceRoute(newRoute(route))
  return missing.map((route) => `route ${routeText(route)}`)
}

/** Turns reverse path filtering off for a pod's links, because the filter drops asymmetric answers. */
async function openPath(netns: NetnsTarget, links: readonly string[]): Promise<string[]> {
  try {
    await runSteps(await sysctlSteps(sysctl(netns), withoutReversePath(['default', 'all', ...links])))
    return []
  } catch (error) {
    return [messageOf(error)]
  }
}
