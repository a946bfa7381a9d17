import { iptables } from '@cni/iptables'
import { type NetnsTarget, openRtnl, type RtnlPort, sysctl } from '@cni/netns'
import type { EnrolledAddress } from '../kernel-side.ts'
import { POD_SET, tables, tunnels } from '../names.ts'
import { applyNetwork, networkDrift, pointTunnels } from '../network/network.ts'
import type { NetworkPlan } from '../network/network-plan.ts'
import { ruleText } from '../network/network-text.ts'
import { removedRuleSteps, routesThere, ruleSteps } from '../network/route-steps.ts'
import { forgetNeighbours, isTunnelOf, removeTunnels } from '../network/tunnel-steps.ts'
import { NodeLevelError } from '../node-level-error.ts'
import { applyRules, type RollbackNamespace, type RulesBy, rulesDrift } from '../rules.ts'
import { runSteps } from '../step.ts'
import { type NodePlan, nodePolicyRules, podRoute } from './node-plan.ts'
import { noNodeRules } from './node-rules.ts'
import { destroyPodSet, dropEntries, podEntries, podSet, putEntries } from './pod-set.ts'

/** Map from IPv4 addresses of the node's enrolled pods to the pods' UIDs. */
export type PodsByAddress = ReadonlyMap<string, string>

/**
 * Prepares the node without redirecting traffic. Resolves to the corrected differences.
 *
 * @throws {@link NodeLevelError} `FOREIGN` if another program uses the reserved route tables, and the node has no
 *   objects of this package.
 */
export async function prepareNode(
  namespace: RollbackNamespace,
  plan: NodePlan,
  pods: PodsByAddress,
): Promise<string[]> {
  using rtnl = await openRtnl(namespace)
  await refuseOtherProgram(rtnl)
  const changed = await reconcilePods(namespace, pods)
  const network = withPods(plan, pods)
  return [...changed, ...(await applyNetwork({ rtnl, settings: sysctl(namespace), undo: namespace.undo }, network))]
}

/** Writes the iptables rules of the node, and points the tunnels to ztunnel. */
export async function captureOnNode(namespace: RollbackNamespace, plan: NodePlan, by: RulesBy): Promise<string[]> {
  const drift = await applyRules(namespace, plan.rules, by)
  using rtnl = await openRtnl(namespace)
  return [...drift, ...(await pointTunnels({ rtnl, settings: sysctl(namespace) }, plan.network))]
}

/** Describes differences between the node and its plan: ipset entries, network settings and rules. Only reads. */
export async function nodeDrift(
  netns: NetnsTarget,
  plan: NodePlan,
  pods: PodsByAddress,
  by: RulesBy,
): Promise<string[]> {
  using rtnl = await openRtnl(netns)
  return [
    ...(await entriesDrift(netns, pods)),
    ...(await networkDrift({ rtnl, settings: sysctl(netns) }, withPods(plan, pods))),
    ...(await rulesDrift(netns, plan.rules, by)),
  ]
}

/** Describes differences between the ipset set of enrolled addresses and the enrolled pods. */
export async function entriesDrift(netns: NetnsTarget, pods: PodsByAddress): Promise<string[]> {
  const entries = await podEntries(netns)
  return [
    ...(entries === undefined ? [`missing set ${POD_SET}`] : []),
    ...missingEntries(entries ?? [], pods).map(missingText),
    ...unexpectedEntries(entries ?? [], pods).map(unexpectedText),
  ]
}

/** Deletes the tunnels' neighbour entries, because they have the MAC addresses of the previous ztunnel. */
export async function forgetZtunnel(netns: NetnsTarget): Promise<void> {
  using rtnl = await openRtnl(netns)
  await forgetNeighbours(
    rtnl,
    [tunnels.inbound, tunnels.outbound].map(({ node: [name] }) => name),
  )
}

/** Removes all objects of this package from the node, even objects of other processes. */
export async function removeNode(netns: NetnsTarget, by: RulesBy): Promise<void> {
  using rtnl = await openRtnl(netns)
  const hasOurs = await isOurs(rtnl)
  await iptables(netns, by).remove(noNodeRules, { reversible: true })
  if (hasOurs) {
    await runSteps(await removedRuleSteps(rtnl, nodePolicyRules))
    for (const { route } of await routesThere(rtnl)) await rtnl.deleteRoute(route)
  }
  await removeTunnels(rtnl, 'node')
  await destroyPodSet(netns)
}

// internal

const withPods = ({ facts, network }: NodePlan, pods: PodsByAddress): NetworkPlan => ({
  ...network,
  routes: [...network.routes, ...[...pods.keys()].map((address) => podRoute(address, facts))],
})

/** True if the node has policy rules or tunnels of this package, for example after a crash. */
async function isOurs(rtnl: RtnlPort): Promise<boolean> {
  const [links, rules] = await Promise.all([rtnl.getLinks(), rtnl.getRules('ipv4')])
  const texts = new Set(nodePolicyRules.map(ruleText))
  return rules.some((rule) => texts.has(ruleText(rule))) || links.some((link) => isTunnelOf(link, 'node'))
}

async function refuseOtherProgram(rtnl: RtnlPort): Promise<void> {
  if (await isOurs(rtnl)) return
  const routes = (await routesThere(rtnl)).map(({ text }) => `ip route ${text}`)
  const rules = (await ruleSteps(rtnl, [])).map(({ what }) => what)
  const found = [...routes, ...rules]
  if (found.length === 0) return
  throw new NodeLevelError(
    'FOREIGN',
    `Another program uses the route tables ${Object.values(tables).join(', ')} of this node, which node-level redirection ` +
      `reserves: ${found.slice(0, 3).join('; ')}${found.length > 3 ? ` and ${found.length - 3} more` : ''}. ` +
      'Set AMBIENT_REDIRECT_MODE=inpod, or make the other program use other tables',
  )
}

async function reconcilePods({ netns, undo }: RollbackNamespace, pods: PodsByAddress): Promise<string[]> {
  const there = await podEntries(netns)
  if (there === undefined) {
    undo(() => podSet(netns).destroy())
    await podSet(netns).create()
  }
  const missing = missingEntries(there ?? [], pods)
  const unexpected = unexpectedEntries(there ?? [], pods)
  await putEntries(netns, missing, there ?? [], undo)
  await dropEntries(netns, unexpected, undo)
  return [
    ...(there === undefined ? [`missing set ${POD_SET}`] : []),
    ...missing.map(missingText),
    ...unexpected.map(unexpectedText),
  ]
}

/** Lists the enrolled pods without an ipset entry. An entry with another pod's UID counts as missing. */
const missingEntries = (there: readonly EnrolledAddress[], pods: PodsByAddress) =>
  [...pods]
    .filter(([address, uid]) => !there.some((each) => each.address === address && each.uid === uid))
    .map(([address, uid]) => ({ address, uid }))

/** Lists ipset entries that another program added. Their addresses belong to no enrolled pod. */
const unexpectedEntries = (there: readonly EnrolledAddress[], pods: PodsByAddress): EnrolledAddress[] =>
  there.filter(({ address }) => !pods.has(address))

const missingText = ({ address, uid }: EnrolledAddress): string => `missing ${address} of pod ${uid}`

const unexpectedText = ({ address, uid = '(unknown)' }: EnrolledAddress): string =>
  `unexpected ${address} of pod ${uid}`
