import { type NetnsTarget, openRtnl } from '@cni/netns'
import type { Objects } from '../../ebpf/objects.ts'
import { ipv4 } from '../find-links.ts'
import type { KernelReport, NodePod } from '../kernel-side.ts'
import { NodeLevelError } from '../node-level-error.ts'
import { sourceTowards } from '../source-towards.ts'
import { runSteps } from '../step.ts'
import { undoneOnFailure } from '../undone-on-failure.ts'
import { hookSteps, podHooks, unhook } from './filters.ts'
import { endsOf } from './links.ts'
import { dropEntry, isSameTarget, type PodEntry, podEntries, putEntry } from './pod-entries.ts'
import { type Serving, targetOf } from './serving.ts'

/** What became of a pod that was brought in. */
export interface EnrolledPod extends KernelReport {
  readonly entries: readonly PodEntry[]
}

/**
 * Captures a pod on these addresses, and on no others: entries, then programs, which drop what they have no entry for.
 *
 * @throws {@link NodeLevelError} `ADDRESS`, `NO_VETH`; `EbpfError`: `NO_LINK` for a link that goes meanwhile, `FULL`.
 */
export async function enrolPod(
  netns: NetnsTarget,
  pod: NodePod,
  serving: Serving,
  objects: Objects,
): Promise<EnrolledPod> {
  const { uid } = pod
  const addresses = [...new Set(pod.addresses.flatMap((each) => ipv4(each) ?? []))]
  for (const address of addresses) refuseAddress(address, uid, serving)
  const warnings = addresses.length === 0 ? [`pod ${uid} has no address of IPv4, and is not captured`] : []
  const before = new Map(podEntries(objects.maps).map((entry) => [entry.address, entry]))
  const entries: PodEntry[] = []
  const changed = await undoneOnFailure(async (within) => {
    const place = within(netns)
    using node = await openRtnl(place)
    entries.push(...(await entriesOf(netns, pod, addresses)))
    const told: string[] = []
    for (const entry of entries) {
      const other = before.get(entry.address)
      if (other?.uid === uid && isSameTarget(other.target, entry.target)) continue
      putEntry(objects.maps, entry, place.undo)
      const of = other === undefined || other.uid === uid ? '' : ` was that of pod ${other.uid}`
      told.push(`${entry.address} of pod ${uid}${of}`)
    }
    for (const link of new Set(entries.map(({ target }) => target.ifindex)))
      told.push(...(await runSteps(await hookSteps(node, link, podHooks, objects))))
    return told
  })
  const removed = await releasePods(netns, objects, (each) => each.uid === uid && !addresses.includes(each.address))
  await unhookUnused(
    netns,
    objects,
    entries.flatMap(({ address }) => before.get(address)?.target.ifindex ?? []),
  )
  for (const address of addresses) {
    const source = await sourceTowards(netns, address)
    if (source === serving.nodeIp) continue
    const text = `the node reaches ${address} of pod ${uid} with the address ${source}, and ztunnel with ${serving.nodeIp}`
    warnings.push(`${text}: its probes are captured`)
  }
  return { entries, changed: [...changed, ...removed.map((each) => `${each} no more of ${uid}`)], warnings }
}

/** Captures addresses no more; returns them. */
export async function releasePods(
  netns: NetnsTarget,
  objects: Objects,
  which: (entry: PodEntry) => boolean,
): Promise<string[]> {
  const gone = podEntries(objects.maps).filter(which)
  if (gone.length === 0) return []
  const stay = podEntries(objects.maps).filter((entry) => !which(entry))
  // The programs first: without its entry what a pod sends is dropped.
  await unhookUnused(
    netns,
    objects,
    gone.map(({ target }) => target.ifindex),
    stay,
  )
  for (const { address } of gone) dropEntry(objects.maps, address)
  return gone.map(({ address }) => address)
}

// internal

/** Takes the programs off links that no entry leads to. */
async function unhookUnused(
  netns: NetnsTarget,
  { maps }: Objects,
  links: readonly number[],
  stay: readonly PodEntry[] = podEntries(maps),
): Promise<void> {
  const used = new Set(stay.map(({ target }) => target.ifindex))
  const unused = [...new Set(links)].filter((link) => !used.has(link))
  if (unused.length === 0) return
  using rtnl = await openRtnl(netns)
  for (const link of unused) await unhook(rtnl, link, podHooks)
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
