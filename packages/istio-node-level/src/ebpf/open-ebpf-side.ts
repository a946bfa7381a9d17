import { ebpf } from '@cni/ebpf'
import { mutex } from '@cni/host'
import { openRtnl } from '@cni/netns'
import { type DriftCache, driftCache } from '../drift-cache.ts'
import type { EnrolledAddress, KernelSide, NodePod } from '../kernel-side.ts'
import { type NodeSettings, nodeSettings, restoreSettings } from '../network/node-settings.ts'
import { NodeLevelError } from '../node-level-error.ts'
import { noZtunnel, type Target } from '../objects/maps.ts'
import { type Objects, openObjects, PINS } from '../objects/objects.ts'
import { runSteps } from '../step.ts'
import { withRollback } from '../with-rollback.ts'
import { detachZtunnel } from './detach-ztunnel.ts'
import type { EbpfSideOptions } from './ebpf-side-options.ts'
import { enrolPod, releasePods } from './enrol-pod.ts'
import { nodeHooks, unhook } from './filters.ts'
import { detachUnusedSteps, insideSteps, pinSteps, podSteps, ztunnelSteps } from './node-steps.ts'
import { dropEntry, entriesDrift, type PodEntry, podEntries } from './pod-entries.ts'
import { type Redirection, redirectionDrift, redirectionSteps } from './redirection-steps.ts'
import { isSameZtunnel, isThere, type Serving, servingBy, targetOf } from './serving.ts'

/** {@link KernelSide} for node-level redirection by eBPF, with access to the eBPF maps and programs. */
export interface OpenEbpfSide extends KernelSide {
  readonly objects: Objects
}

/**
 * Node-level redirection by eBPF programs on the links of pods.
 *
 * @throws `EbpfError` that names the missing feature of the kernel or the file system.
 */
export function openEbpfSide({
  netns = 'host',
  pins = PINS,
  variant,
  settings: original,
  ...by
}: EbpfSideOptions): OpenEbpfSide {
  const oneByOne = mutex()
  const objects = openObjects({ pins, variant })
  const { maps } = objects
  const known = new Map<string, PodEntry>()
  let settings: NodeSettings = original ?? new Map()
  let serving: Serving | undefined
  /** Detects changes in the network namespaces of the node and of the current ztunnel. */
  let cache: DriftCache | undefined
  /** Previous ztunnel. It may still have open connections, so the programs and rules for it stay. */
  let earlier: Serving | undefined
  let isPaused = false
  let isStopped = false
  /** Returns the map value for new connections of pods: ztunnel, or "no ztunnel" during a pause. */
  const goal = ({ ends, ztunnel }: Serving): Target => (isPaused ? noZtunnel : targetOf(ends, ztunnel.dnsCapture))

  const remember = (): void => {
    known.clear()
    for (const entry of podEntries(maps)) if (entry.uid !== undefined) known.set(entry.address, entry)
  }
  const forget = ({ address }: PodEntry): void => void known.delete(address)
  const release = async (which: (entry: PodEntry) => boolean): Promise<readonly string[]> => {
    if (isStopped) return []
    const old = { remembered: [...known.values()], there: podEntries(maps) }
    const gone = await withRollback((inNamespace) => releasePods(inNamespace(netns), objects, old, which))
    for (const entry of known.values()) if (which(entry)) forget(entry)
    return gone
  }

  /** Reconciles the node and ztunnel's namespace. The last step directs the traffic of pods to ztunnel. */
  const reconcile = (next: Serving, redirection: Redirection): Promise<string[]> =>
    withRollback(async (inNamespace) => {
      const [outside, inside] = [inNamespace(netns), inNamespace(next.netns)]
      using node = await openRtnl(outside)
      using own = await openRtnl(inside)
      return [
        ...(await runSteps(pinSteps(objects))),
        ...(await runSteps(await insideSteps(own, inside, next, objects, by))),
        ...(await runSteps(await podSteps(node, objects, known, forget))),
        ...(serving === undefined ? await runSteps(await detachUnusedSteps(node, known.values())) : []),
        ...(await runSteps(await ztunnelSteps(node, netns, next, redirection, objects, outside.undo))),
      ]
    })

  /** Describes differences of the eBPF pins and maps. The kernel sends no events for these differences. */
  const mapsDrift = (redirection: Redirection): string[] => [
    ...pinSteps(objects).map(({ what }) => what),
    ...entriesDrift(maps, known),
    ...redirectionDrift(maps, redirection),
  ]
  const wholeDrift = async (current: Serving, redirection: Redirection): Promise<string[]> => {
    using node = await openRtnl(netns)
    const pods = [...pinSteps(objects), ...(await podSteps(node, objects, known, () => {}))]
    if (!(await isThere(node, current))) {
      return [...pods, ...(await redirectionSteps(node, objects, redirection))].map(({ what }) => what)
    }
    using own = await openRtnl(current.netns)
    const steps = [
      ...pods,
      ...(await insideSteps(own, { netns: current.netns, undo: () => {} }, current, objects, by)),
      ...(await ztunnelSteps(node, netns, current, redirection, objects)),
    ]
    return steps.map(({ what }) => what)
  }

  /** Makes a new ztunnel the current one. The previous ztunnel keeps its open connections. */
  const replaceBy = async (next: Serving): Promise<readonly string[]> => {
    const before = serving
    serving = next
    cache?.[Symbol.dispose]()
    const rules = objects.variant === 'mark'
    cache = driftCache([netns, next.netns], { ...by, rules, filters: true })
    if (before === undefined) return []
    if (isSameZtunnel(before, next)) {
      before.netns.close()
      return []
    }
    const oldest = earlier
    earlier = before
    return await detachZtunnel(netns, oldest, next, objects, by)
  }
  const removeEarlier = async (): Promise<readonly string[]> => {
    const oldest = earlier
    earlier = undefined
    return await detachZtunnel(netns, oldest, serving, objects, by)
  }

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
          const to = targetOf(next.ends, ztunnel.dnsCapture)
          const changed = await reconcile(next, { to, from: maps.ztunnel_info.get(0) })
          settings = settingsBefore
          isPaused = false
          return { changed: [...lost, ...changed], warnings: await replaceBy(next) }
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
    pause: () =>
      oneByOne(async () => {
        if (isStopped) return { changed: [], warnings: [] }
        isPaused = true
        const redirection = { to: noZtunnel, from: maps.ztunnel_info.get(0) }
        const changed = await withRollback(async (inNamespace) => {
          const { undo } = inNamespace(netns)
          using node = await openRtnl(netns)
          return await runSteps(await redirectionSteps(node, objects, redirection, undo))
        })
        return { changed, warnings: [] }
      }),
    drift: () =>
      oneByOne(async () => {
        if (serving === undefined) return []
        const redirection = { to: goal(serving), from: noZtunnel }
        if (cache?.isUnchanged() === true) return mapsDrift(redirection)
        const drift = await wholeDrift(serving, redirection)
        cache?.remember(drift.length === 0)
        return drift
      }),
    heal: () =>
      oneByOne(async () => {
        if (serving === undefined) return { changed: [], warnings: [] }
        using node = await openRtnl(netns)
        const redirection = { to: goal(serving), from: noZtunnel }
        const warnings = earlier === undefined || (await isThere(node, earlier)) ? [] : await removeEarlier()
        if (await isThere(node, serving)) return { changed: await reconcile(serving, redirection), warnings }
        // Restores only the node, because ztunnel has died. The kernel drops packets to ztunnel's missing link.
        const steps = [...pinSteps(objects), ...(await podSteps(node, objects, known, forget))]
        return {
          changed: await runSteps([...steps, ...(await redirectionSteps(node, objects, redirection))]),
          warnings,
        }
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
        cache?.[Symbol.dispose]()
        cache = undefined
        await removeEarlier()
        await detachZtunnel(netns, before, undefined, objects, by)
        maps.ztunnel_info.set(0, noZtunnel)
        maps.ztunnel_before.set(0, { ...noZtunnel, netns: 0 })
        isStopped = true
        objects[Symbol.dispose]()
        ebpf().removePins(pins)
      }),
    [Symbol.dispose]() {
      cache?.[Symbol.dispose]()
      serving?.netns.close()
      earlier?.netns.close()
      serving = undefined
      earlier = undefined
      objects[Symbol.dispose]()
    },
  }
}

// internal

function required(serving: Serving | undefined, { uid }: NodePod): Serving {
  if (serving !== undefined) return serving
  throw new NodeLevelError(
    'NO_ZTUNNEL',
    `Pod ${uid} cannot be brought into the mesh: no ztunnel has been ready on this node yet`,
  )
}
