import { mutex } from '@cni/host'
import type { IptablesOptions } from '@cni/iptables'
import { type Netns, type NetnsTarget, netns as namespaces, openRtnl } from '@cni/netns'
import { messageOf } from '@cni/types'
import { type DriftCache, driftCache } from '../drift-cache.ts'
import type { EnrolledAddress, KernelSide, NodePod, NodeZtunnel } from '../kernel-side.ts'
import type { TunnelKind } from '../names.ts'
import { ztunnelLinks } from '../network/find-links.ts'
import { type NodeSettings, nodeSettings, restoreSettings } from '../network/node-settings.ts'
import { sourceTowards } from '../network/source-towards.ts'
import { portsIn, tunnelPort } from '../network/tunnel-port.ts'
import { isNodeLevelError, NodeLevelError } from '../node-level-error.ts'
import type { RulesBy } from '../rules.ts'
import { withRollback } from '../with-rollback.ts'
import { captureOnNode, entriesDrift, forgetZtunnel, nodeDrift, prepareNode, removeNode } from './node.ts'
import { type NodePlan, nodePlan, planWithoutZtunnel } from './node-plan.ts'
import { podEntries } from './pod-set.ts'
import { enrolAddresses, releaseAddresses } from './pods.ts'
import { applyZtunnel, removeZtunnel, ztunnelDrift } from './ztunnel-namespace.ts'
import { type ZtunnelPlan, ztunnelPlan } from './ztunnel-plan.ts'

/** Options of {@link iptablesSide}, the node-level redirection by iptables. */
export interface IptablesSideOptions extends Pick<IptablesOptions, 'backend' | 'programs'> {
  /** Network namespace of the node. Default: the namespace that this process was started in. */
  readonly netns?: NetnsTarget | undefined
  /** IPv4 address of the node. The kubelet's probes come from this address. */
  readonly hostIp: string
  readonly tunnel: TunnelKind
  /**
   * Map from sysctl names to the values to restore when the redirection is removed. Default: the values that the node
   * has when its first ztunnel starts.
   */
  readonly settings?: ReadonlyMap<string, string> | undefined
}

/** Node-level redirection by iptables, policy routing and tunnels, as in Istio up to 1.19. */
export function iptablesSide({
  netns = 'host',
  hostIp,
  tunnel,
  settings: original,
  ...by
}: IptablesSideOptions): KernelSide {
  const oneByOne = mutex()
  const known = new Map<string, string>()
  let serving: Serving | undefined
  let settings: NodeSettings = original ?? new Map()

  const reconcileWithoutZtunnel = ({ node }: Serving, pods: ReadonlyMap<string, string>): Promise<string[]> =>
    withRollback(async (inNamespace) => {
      const plan = planWithoutZtunnel(node)
      return [
        ...(await prepareNode(inNamespace(netns), plan, pods)),
        ...(await captureOnNode(inNamespace(netns), plan, by)),
      ]
    })

  /** Writes rules, routes and tunnels of the node and of ztunnel's namespace, where they differ from the plans. */
  async function reconcile(ztunnel: NodeZtunnel, pods: ReadonlyMap<string, string>): Promise<Reconciled> {
    const { outer, inner } = await linksOf(netns, ztunnel)
    const port = tunnelPort(tunnel, ztunnel.ip, [await portsIn(netns), await portsIn(ztunnel.netns)])
    const { ip: ztunnelIp, dnsCapture } = ztunnel
    const node = nodePlan({ hostIp, ztunnelIp, ztunnelVeth: outer.name, tunnel, port, dnsCapture })
    const reconciled = withRollback(async (inNamespace) => {
      const prepared = await prepareNode(inNamespace(netns), node, pods)
      // Runs after `prepareNode`, because the routes written there determine the node's source address.
      const nodeIp = await sourceTowards(netns, ztunnelIp)
      const inside = ztunnelPlan({ ztunnelIp, veth: inner.name, nodeIp, tunnel, port })
      const insideChanged = await applyZtunnel(inNamespace(ztunnel.netns), inside, by)
      const captured = await captureOnNode(inNamespace(netns), node, by)
      const changed = [...prepared, ...insideChanged.map(ofZtunnel), ...captured]
      if (changed.length > 0) await forgetZtunnel(netns)
      return { node, inside, changed }
    })
    try {
      return await reconciled
    } catch (cause) {
      if (isNodeLevelError(cause) || (await isThere(netns, ztunnel))) throw cause
      const text = `Ztunnel ${ztunnel.name} (${ztunnel.ip}) disappeared while it was started: its veth is gone`
      throw new NodeLevelError('NO_ROUTE', text, { cause })
    }
  }

  async function wholeDrift({ node, inside, ztunnel }: Serving): Promise<string[]> {
    if (!(await isThere(netns, ztunnel))) return await nodeDrift(netns, planWithoutZtunnel(node), known, by)
    return [
      ...(await nodeDrift(netns, node, known, by)),
      ...(await ztunnelDrift(ztunnel.netns, inside, by)).map(ofZtunnel),
    ]
  }

  return {
    start: (ztunnel) =>
      oneByOne(async () => {
        const { pods, changed: lost } = await podsAtStart(netns, serving === undefined ? undefined : known, ztunnel)
        const settingsBefore = original ?? (serving === undefined ? await nodeSettings(netns) : settings)
        const { node, inside, changed } = await reconcile(ztunnel, pods)
        const before = serving
        settings = settingsBefore
        const own = duplicate(ztunnel.netns)
        serving = { node, inside, ztunnel: { ...ztunnel, netns: own }, cache: driftCache([netns, own], by) }
        known.clear()
        for (const [address, uid] of pods) known.set(address, uid)
        return { changed: [...lost, ...changed], warnings: await removeFromZtunnel(before, ztunnel.netns, by) }
      }),
    // A pause changes nothing, because iptables cannot separate new connections from open ones.
    pause: async () => ({ changed: [], warnings: [] }),
    addPod: (pod) =>
      oneByOne(async () => {
        const { node } = required(serving, pod)
        const report = await enrolAddresses(netns, pod, node.facts)
        for (const address of report.removed) known.delete(address)
        for (const address of report.addresses) known.set(address, pod.uid)
        return report
      }),
    removePod: (uid) =>
      oneByOne(async () => {
        const gone = await releaseAddresses(netns, (each) => each.uid === uid)
        for (const [address, owner] of known) if (owner === uid) known.delete(address)
        return gone
      }),
    retainPods: (uids) =>
      oneByOne(async () => {
        const gone = await releaseAddresses(netns, ({ uid }) => uid === undefined || !uids.has(uid))
        for (const [address, owner] of known) if (!uids.has(owner)) known.delete(address)
        return gone
      }),
    listPods: () => oneByOne(async () => (await podEntries(netns)) ?? []),
    drift: () =>
      oneByOne(async () => {
        if (serving === undefined) return []
        if (serving.cache.isUnchanged()) return await entriesDrift(netns, known)
        const drift = await wholeDrift(serving)
        serving.cache.remember(drift.length === 0)
        return drift
      }),
    heal: () =>
      oneByOne(async () => {
        if (serving === undefined) return { changed: [], warnings: [] }
        const { ztunnel, cache } = serving
        if (!(await isThere(netns, ztunnel)))
          return { changed: await reconcileWithoutZtunnel(serving, known), warnings: [] }
        const { node, inside, changed } = await reconcile(ztunnel, known)
        serving = { node, inside, ztunnel, cache }
        return { changed, warnings: [] }
      }),
    stop: () =>
      oneByOne(async () => {
        await removeNode(netns, by)
        await restoreSettings(netns, settings)
        const before = serving
        serving = undefined
        known.clear()
        await removeFromZtunnel(before, undefined, by)
      }),
    [Symbol.dispose]() {
      serving?.cache[Symbol.dispose]()
      serving?.ztunnel.netns.close()
      serving = undefined
    },
  }
}

// internal

interface Serving {
  readonly node: NodePlan
  readonly inside: ZtunnelPlan
  /**
   * ztunnel that serves the node. The KernelSide object owns its handle of ztunnel's network namespace, and closes this
   * handle.
   */
  readonly ztunnel: NodeZtunnel
  /** Change detection for the network namespaces of the node and of ztunnel. */
  readonly cache: DriftCache
}

interface Reconciled extends Pick<Serving, 'node' | 'inside'> {
  readonly changed: readonly string[]
}

async function linksOf(node: NetnsTarget, ztunnel: NodeZtunnel) {
  using outside = await openRtnl(node)
  using inside = await openRtnl(ztunnel.netns)
  return await ztunnelLinks(outside, inside, ztunnel)
}

/** True if ztunnel's veth still exists. The namespace handle stays open after ztunnel's death. */
async function isThere(node: NetnsTarget, ztunnel: NodeZtunnel): Promise<boolean> {
  try {
    await linksOf(node, ztunnel)
    return true
  } catch (error) {
    if (isNodeLevelError(error)) return false
    throw error
  }
}

const ofZtunnel = (drift: string): string => `ztunnel: ${drift}`

/** Lists the pods that stay in the mesh when a ztunnel starts. Releases the ztunnel's own address. */
async function podsAtStart(
  netns: NetnsTarget,
  known: ReadonlyMap<string, string> | undefined,
  { ip, name }: NodeZtunnel,
): Promise<{ readonly pods: ReadonlyMap<string, string>; readonly changed: readonly string[] }> {
  const entries: readonly EnrolledAddress[] =
    known === undefined ? ((await podEntries(netns)) ?? []) : [...known].map(([address, uid]) => ({ address, uid }))
  const pods = new Map(entries.flatMap(({ address, uid }) => (uid === undefined ? [] : [[address, uid] as const])))
  const owner = pods.get(ip)
  if (owner === undefined) return { pods, changed: [] }
  pods.delete(ip)
  await releaseAddresses(netns, ({ address }) => address === ip)
  return { pods, changed: [`${ip} was in the mesh as that of pod ${owner}, and is ztunnel ${name}'s now`] }
}

/** Opens a second handle of a network namespace, which the caller closes separately. */
const duplicate = (netns: Netns): Netns => namespaces.open(`/proc/self/fd/${netns.fd}`)

/** Removes the rules in a former ztunnel's namespace. Resolves to warnings. */
async function removeFromZtunnel(before: Serving | undefined, next: Netns | undefined, by: RulesBy): Promise<string[]> {
  if (before === undefined) return []
  using netns = before.ztunnel.netns
  before.cache[Symbol.dispose]()
  if (next?.isSame(netns) === true) return []
  try {
    await removeZtunnel(netns, before.inside, by)
    return []
  } catch (error) {
    return [`The namespace of ztunnel ${before.ztunnel.name}, which no longer serves, keeps rules: ${messageOf(error)}`]
  }
}

function required(serving: Serving | undefined, { uid }: NodePod): Serving {
  if (serving !== undefined) return serving
  throw new NodeLevelError(
    'NO_ZTUNNEL',
    `Pod ${uid} cannot be brought into the mesh: no ztunnel has been ready on this node yet`,
  )
}
