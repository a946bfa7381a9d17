import { ebpf } from '@cni/ebpf'
import { iptables } from '@cni/iptables'
import { type Netns, type NetnsTarget, netns as namespaces, openRtnl, type RtnlPort } from '@cni/netns'
import { messageOf } from '@cni/types'
import { inTurn } from '../../agent/ambient/in-turn.ts'
import { nobody } from '../../ebpf/maps.ts'
import { type Objects, type ObjectsOptions, openObjects, PINS } from '../../ebpf/objects.ts'
import type { EnrolledAddress, KernelSide, NodePod, NodeZtunnel } from '../kernel-side.ts'
import { NodeLevelError } from '../node-level-error.ts'
import { type NodeSettings, nodeSettings, restoreSettings } from '../node-settings.ts'
import { removedRuleSteps, routesThere } from '../route-steps.ts'
import type { RulesBy } from '../rules.ts'
import { sourceTowards } from '../source-towards.ts'
import { runSteps } from '../step.ts'
import { undoneOnFailure } from '../undone-on-failure.ts'
import { enrolPod, releasePods } from './enrol-pod.ts'
import { insideHooks, nodeHooks, unhook, ztunnelHooks } from './filters.ts'
import { endsOf } from './links.ts'
import { namespacePlan } from './namespace-plan.ts'
import { insideSteps, pinSteps, podSteps, ztunnelSteps } from './node-steps.ts'
import { dropEntry, type PodEntry, podEntries } from './pod-entries.ts'
import type { Serving } from './serving.ts'

/** Where and how a node is redirected by programs on links; what writes rules is asked where sockets cannot be assigned. */
export interface EbpfSideOptions extends RulesBy, ObjectsOptions {
  /** The node's network namespace. Default: the one this process was started in. */
  readonly netns?: NetnsTarget | undefined
  /** Those of the node before it was ever redirected. Default: as they are when the first ztunnel is started. */
  readonly settings?: NodeSettings | undefined
}

/** A kernel's side by eBPF. */
export interface EbpfSide extends KernelSide {
  readonly objects: Objects
}

/**
 * Node-level redirection by programs on the links of pods, as Istio 1.18 had it, on networks with routes or bridges. Programs
 * are loaded and pinned here; whoever adds a pod attaches what is there.
 *
 * @throws `EbpfError` where the kernel or the file system cannot do it, with what is missing.
 */
export function ebpfSide({
  netns = 'host',
  pins = PINS,
  variant,
  settings: original,
  ...by
}: EbpfSideOptions): EbpfSide {
  const oneByOne = inTurn()
  const objects = openObjects({ pins, variant })
  const { maps } = objects
  const known = new Map<string, PodEntry>()
  let settings: NodeSettings = original ?? new Map()
  let serving: Serving | undefined
  let isStopped = false

  const remember = (): void => {
    known.clear()
    for (const entry of podEntries(maps)) if (entry.uid !== undefined) known.set(entry.address, entry)
  }
  const forget = ({ address }: PodEntry): void => void known.delete(address)
  const release = async (which: (entry: PodEntry) => boolean): Promise<readonly string[]> => {
    if (isStopped) return []
    const old = [...known.values(), ...podEntries(maps)]
    const gone = await undoneOnFailure((within) => releasePods(within(netns), objects, old, which))
    for (const entry of known.values()) if (which(entry)) forget(entry)
    return gone
  }

  /** Compares everything with what a ztunnel needs, and brings it in; pods are led there at the very end. */
  const bring = (next: Serving): Promise<string[]> =>
    undoneOnFailure(async (within) => {
      const [outside, inside] = [within(netns), within(next.netns)]
      using node = await openRtnl(outside)
      using own = await openRtnl(inside)
      return [
        ...(await runSteps(pinSteps(objects))),
        ...(await runSteps(await insideSteps(own, inside, next, objects, by))),
        ...(await runSteps(await podSteps(node, objects, known, forget))),
        ...(await runSteps(await ztunnelSteps(node, netns, next, objects, outside.undo))),
      ]
    })

  return {
    objects,
    start: (ztunnel) =>
      oneByOne(async () => {
        const next = await servingBy(netns, ztunnel, objects)
        const settingsBefore = original ?? (serving === undefined ? await nodeSettings(netns) : settings)
        const lost: string[] = []
        try {
          if (serving === undefined) remember()
          const owner = known.get(ztunnel.ip)
          if (owner !== undefined) {
            known.delete(ztunnel.ip)
            dropEntry(maps, ztunnel.ip)
            lost.push(`${ztunnel.ip} was in the mesh as that of pod ${owner.uid}, and is ztunnel ${ztunnel.name}'s now`)
          }
          const changed = await bring(next)
          const before = serving
          serving = next
          settings = settingsBefore
          return { changed: [...lost, ...changed], warnings: await leave(netns, before, next, objects, by) }
        } catch (error) {
          next.netns[Symbol.dispose]()
          throw error
        }
      }),
    addPod: (pod) =>
      oneByOne(async () => {
        const current = required(serving, pod)
        const { entries, ...report } = await enrolPod(netns, pod, current, objects, known.values())
        for (const [address, { uid }] of known) if (uid === pod.uid) known.delete(address)
        for (const entry of entries) known.set(entry.address, entry)
        return report
      }),
    removePod: (uid) => oneByOne(() => release((each) => each.uid === uid)),
    retainPods: (uids) => oneByOne(() => release(({ uid }) => uid === undefined || !uids.has(uid))),
    listPods: () =>
      oneByOne(async () =>
        isStopped ? [] : podEntries(maps).map(({ address, uid }): EnrolledAddress => ({ address, uid })),
      ),
    drift: () =>
      oneByOne(async () => {
        if (serving === undefined) return []
        using node = await openRtnl(netns)
        const pods = [...pinSteps(objects), ...(await podSteps(node, objects, known, () => {}))]
        if (!(await isThere(node, serving))) return pods.map(({ what }) => what)
        using own = await openRtnl(serving.netns)
        const steps = [
          ...pods,
          ...(await insideSteps(own, { netns: serving.netns, undo: () => {} }, serving, objects, by)),
          ...(await ztunnelSteps(node, netns, serving, objects)),
        ]
        return steps.map(({ what }) => what)
      }),
    heal: () =>
      oneByOne(async () => {
        if (serving === undefined) return { changed: [], warnings: [] }
        using node = await openRtnl(netns)
        if (await isThere(node, serving)) return { changed: await bring(serving), warnings: [] }
        // It died: packets are led to where nobody takes them until there is another one.
        const steps = [...pinSteps(objects), ...(await podSteps(node, objects, known, forget))]
        return { changed: await runSteps(steps), warnings: [] }
      }),
    stop: () =>
      oneByOne(async () => {
        if (isStopped) return
        using node = await openRtnl(netns)
        for (const { index } of await node.getLinks()) await unhook(node, index, nodeHooks)
        await restoreSettings(netns, settings)
        const before = serving
        serving = undefined
        known.clear()
        await leave(netns, before, undefined, objects, by)
        maps.ztunnel_info.set(0, nobody)
        isStopped = true
        objects[Symbol.dispose]()
        ebpf().removePins(pins)
      }),
    [Symbol.dispose]() {
      serving?.netns.close()
      serving = undefined
      objects[Symbol.dispose]()
    },
  }
}

// internal

/** @throws {@link NodeLevelError} `NO_VETH`, `NO_SK_ASSIGN`. */
async function servingBy(target: NetnsTarget, ztunnel: NodeZtunnel, { variant }: Objects): Promise<Serving> {
  const { ip, name, dnsCapture } = ztunnel
  if (dnsCapture && variant === 'mark') {
    throw new NodeLevelError(
      'NO_SK_ASSIGN',
      `ztunnel ${name} captures queries (ISTIO_META_DNS_CAPTURE), which takes the helper sk_assign of Linux 5.7 or later: ` +
        'unset it, or set AMBIENT_REDIRECT_MODE=node-iptables',
    )
  }
  using node = await openRtnl(target)
  using inside = await openRtnl(ztunnel.netns)
  const ends = await endsOf(node, inside, ip, `ztunnel ${name}`)
  const nodeIp = await sourceTowards(target, ip)
  const plan = namespacePlan({ variant, veth: ends.inner.name, ztunnelIp: ip })
  return { ztunnel, netns: namespaces.open(`/proc/self/fd/${ztunnel.netns.fd}`), ends, inside: plan, nodeIp }
}

/** Whether a ztunnel still has its veth: one that has died may leave its namespace behind. */
async function isThere(node: RtnlPort, { ends }: Serving): Promise<boolean> {
  const link = await node.getLink(ends.outer.index)
  return link?.kind === 'veth' && link.parent === ends.inner.index
}

/** Leaves a ztunnel that does not serve any more; returns what went wrong. */
async function leave(
  node: NetnsTarget,
  before: Serving | undefined,
  next: Serving | undefined,
  { variant }: Objects,
  by: RulesBy,
): Promise<string[]> {
  if (before === undefined) return []
  using own: Netns = before.netns
  const { outer, inner } = before.ends
  try {
    if (next?.ends.outer.index !== outer.index) {
      using rtnl = await openRtnl(node)
      await unhook(rtnl, outer.index, ztunnelHooks)
    }
    if (next?.netns.isSame(own) === true) return []
    using rtnl = await openRtnl(own)
    await unhook(rtnl, inner.index, insideHooks(variant))
    await runSteps(await removedRuleSteps(rtnl, before.inside.network.rules))
    for (const { route } of await routesThere(rtnl)) await rtnl.deleteRoute(route)
    if (before.inside.rules !== undefined) await iptables(own, by).remove(before.inside.rules)
    return []
  } catch (error) {
    return [`ztunnel ${before.ztunnel.name}, which no longer serves, keeps programs or rules: ${messageOf(error)}`]
  }
}

function required(serving: Serving | undefined, { uid }: NodePod): Serving {
  if (serving !== undefined) return serving
  throw new NodeLevelError(
    'NO_ZTUNNEL',
    `Pod ${uid} cannot be brought into the mesh: no ztunnel has been ready on this node yet`,
  )
}
