import { type NetnsTarget, openRtnl } from '@cni/netns'
import { messageOf } from '@cni/types'
import type { KernelReport, NodePod } from '../kernel-side.ts'
import { ipv4 } from '../network/find-links.ts'
import { sourceTowards } from '../network/source-towards.ts'
import { NodeLevelError } from '../node-level-error.ts'
import type { Objects } from '../objects/objects.ts'
import type { RollbackNamespace } from '../rules.ts'
import { runSteps } from '../step.ts'
import { withRollback } from '../with-rollback.ts'
import { hookSteps, podHooks, unhook } from './filters.ts'
import { endsOf } from './links.ts'
import { dropEntry, isSameTarget, linksOf, type PodEntry, podEntriesAt, putEntry } from './pod-entries.ts'
import { type Serving, targetOf } from './serving.ts'

/** Result of {@link enrolPod}: the map entries of the enrolled pod, the changes in the kernel, and warnings. */
export interface EnrolledPod extends KernelReport {
  readonly entries: readonly PodEntry[]
}

/**
 * Redirects a pod's IPv4 addresses to ztunnel. Writes map entries first, because the eBPF programs need the entries.
 *
 * @param known - map entries that this process wrote earlier; another process may have deleted some of them
 * @throws {@link NodeLevelError} `ADDRESS`, `NO_VETH`; `EbpfError`: `NO_LINK` if a link disappears during the call,
 * `FULL` if a map is full
 */
export async function enrolPod(
  netns: NetnsTarget,
  pod: NodePod,
  serving: Serving,
  objects: Objects,
  known: Iterable<PodEntry>,
): Promise<EnrolledPod> {
  const { uid } = pod
  const addresses = [...new Set(pod.addresses.flatMap((each) => ipv4(each) ?? []))]
  for (const address of addresses) refuseAddress(address, uid, serving)
  const remembered = [...known]
  const own = remembered.filter((each) => each.uid === uid).map(({ address }) => address)
  const there = podEntriesAt(objects.maps, [...addresses, ...own])
  const before = new Map(there.map((entry) => [entry.address, entry]))
  const entries: PodEntry[] = []
  const changed = await withRollback(async (inNamespace) => {
    const namespace = inNamespace(netns)
    using node = await openRtnl(namespace)
    entries.push(...(await entriesOf(netns, pod, addresses)))
    const reports: string[] = []
    for (const entry of entries) {
      const other = before.get(entry.address)
      if (other?.uid === uid && isSameTarget(other.target, entry.target)) continue
      putEntry(objects.maps, entry, namespace.undo)
      const of = other === undefined || other.uid === uid ? '' : ` was that of pod ${other.uid}`
      reports.push(`${entry.address} of pod ${uid}${of}`)
    }
    for (const link of new Set(entries.map(({ target }) => target.ifindex)))
      reports.push(...(await runSteps(await hookSteps(node, link, podHooks, objects))))
    const isLeft = (each: PodEntry): boolean => each.uid === uid || addresses.includes(each.address)
    const removed = await releasePods(namespace, objects, { remembered, there }, isLeft, entries)
    return [...reports, ...removed.map((each) => `${each} no more of ${uid}`)]
  })
  const none = addresses.length === 0 ? [`pod ${uid} has no address of IPv4, and is not captured`] : []
  const probes = await Promise.all(addresses.map((address) => probeWarning(netns, address, pod, serving)))
  return { entries, changed, warnings: [...none, ...probes.flat()] }
}

/**
 * Stops the eBPF redirection of the selected addresses. Resolves to the addresses whose map entries were removed.
 *
 * @param old - known entries: `remembered` in this process's memory, and `there` in the eBPF maps
 * @param instead - new entries of the same pods. The addresses of these entries stay in the eBPF maps
 */
export async function releasePods(
  { netns, undo }: RollbackNamespace,
  objects: Objects,
  { remembered, there }: { readonly remembered: readonly PodEntry[]; readonly there: readonly PodEntry[] },
  which: (entry: PodEntry) => boolean,
  instead: readonly PodEntry[] = [],
): Promise<string[]> {
  const { maps } = objects
  const old = [...remembered, ...there]
  const used = linksOf([...old.filter((each) => !which(each)), ...instead])
  // Detaches the eBPF programs first, because attached programs drop the packets of pods without entries.
  for (const link of linksOf(old.filter(which))) {
    if (used.has(link)) continue
    undo(() => reattachHooks(netns, link, objects))
    await unhookLink(netns, link)
  }
  const stay = new Set(instead.map(({ address }) => address))
  const gone = there.filter((each) => which(each) && !stay.has(each.address))
  for (const { address } of gone) dropEntry(maps, address, undo)
  return gone.map(({ address }) => address)
}

// internal

async function unhookLink(netns: NetnsTarget, link: number): Promise<void> {
  using rtnl = await openRtnl(netns)
  await unhook(rtnl, link, podHooks)
}

async function reattachHooks(netns: NetnsTarget, link: number, objects: Objects): Promise<void> {
  using rtnl = await openRtnl(netns)
  if ((await rtnl.getLink(link)) !== undefined) await runSteps(await hookSteps(rtnl, link, podHooks, objects))
}

/** Warns if the eBPF programs would redirect the kubelet's probes of a pod to ztunnel. */
async function probeWarning(netns: NetnsTarget, address: string, { uid }: NodePod, { nodeIp }: Serving) {
  try {
    const source = await sourceTowards(netns, address)
    if (source === nodeIp) return []
    const text = `the node reaches ${address} of pod ${uid} with the address ${source}, and ztunnel with ${nodeIp}`
    return [`${text}: its probes are captured`]
  } catch (error) {
    return [`the node does not reach ${address} of pod ${uid}, so that its probes fail: ${messageOf(error)}`]
  }
}

async function entriesOf(netns: NetnsTarget, pod: NodePod, addresses: readonly string[]): Promise<PodEntry[]> {
  const { uid } = pod
  if (addresses.length === 0) return []
  if (pod.netns === undefined) throw new NodeLevelError('NO_VETH', `The namespace of pod ${uid} is not known`)
  using node = await openRtnl(netns)
  using inside = await openRtnl(pod.netns)
  const entries: PodEntry[] = []
  for (const address of addresses) {
    const target = targetOf(await endsOf(node, inside, address, `pod ${uid}`))
    entries.push({ address, uid, target })
  }
  return entries
}

function refuseAddress(address: string, uid: string, { nodeIp, ztunnel }: Serving): void {
  const whose = address === nodeIp ? "the node's" : address === ztunnel.ip ? "ztunnel's" : undefined
  if (whose === undefined) return
  throw new NodeLevelError('ADDRESS', `The address ${address} of pod ${uid} is ${whose}: a pod in the mesh has its own`)
}
