import { iptables } from '@cni/iptables'
import { type NetnsTarget, openRtnl, type RtnlPort, sysctl } from '@cni/netns'
import type { EnrolledAddress } from '../kernel-side.ts'
import { POD_SET, tables, tunnels } from '../names.ts'
import { applyNetwork, leadTunnels, networkDrift } from '../network/network.ts'
import type { NetworkPlan } from '../network/network-plan.ts'
import { ruleText } from '../network/network-text.ts'
import { removedRuleSteps, routesThere, ruleSteps } from '../network/route-steps.ts'
import { forgetNeighbours, isTunnelOf, removeTunnels } from '../network/tunnel-steps.ts'
import { NodeLevelError } from '../node-level-error.ts'
import { applyRules, type RulesBy, rulesDrift, type Undone } from '../rules.ts'
import { runSteps } from '../step.ts'
import { type NodePlan, nodePolicyRules, podRoute } from './node-plan.ts'
import { noNodeRules } from './node-rules.ts'
import { destroyPodSet, dropEntries, podEntries, podSet, putEntries } from './pod-set.ts'

/** The pods in the mesh, by address. */
export type PodsByAddress = ReadonlyMap<string, string>

/**
 * Brings in what does not yet capture anything: the set, tunnels, settings, routes and policy rules. Returns what was not
 * as it should be.
 *
 * @throws {@link NodeLevelError} `FOREIGN` when somebody else uses our tables, and nothing of ours is there.
 */
export async function prepareNode(place: Undone, plan: NodePlan, pods: PodsByAddress): Promise<string[]> {
  using rtnl = await openRtnl(place)
  await refuseForeign(rtnl)
  const changed = await bringPods(place, pods)
  const network = withPods(plan, pods)
  return [...changed, ...(await applyNetwork({ rtnl, settings: sysctl(place), undo: place.undo }, network))]
}

/** Brings the rules in, and leads tunnels to ztunnel: from now on pods are captured. */
export async function captureOnNode(place: Undone, plan: NodePlan, by: RulesBy): Promise<string[]> {
  const drift = await applyRules(place, plan.rules, by)
  using rtnl = await openRtnl(place)
  return [...drift, ...(await leadTunnels({ rtnl, settings: sysctl(place) }, plan.network))]
}

/** What on the node is not as it should be, in words; only reads. */
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

/** The part of {@link nodeDrift} that is of the set. */
export async function entriesDrift(netns: NetnsTarget, pods: PodsByAddress): Promise<string[]> {
  const entries = await podEntries(netns)
  return [
    ...(entries === undefined ? [`missing set ${POD_SET}`] : []),
    ...missingEntries(entries ?? [], pods).map(missingText),
    ...foreignEntries(entries ?? [], pods).map(foreignText),
  ]
}

/** Forgets who is at the other end of the tunnels, which is somebody else now. */
export async function forgetZtunnel(netns: NetnsTarget): Promise<void> {
  using rtnl = await openRtnl(netns)
  await forgetNeighbours(
    rtnl,
    [tunnels.inbound, tunnels.outbound].map(({ node: [name] }) => name),
  )
}

/** Takes everything out of the node, whoever put it into what is ours; what is not ours stays. */
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

/** Whether this node has been ours before: also of what is left after a crash somebody was the owner. */
async function isOurs(rtnl: RtnlPort): Promise<boolean> {
  const [links, rules] = await Promise.all([rtnl.getLinks(), rtnl.getRules('ipv4')])
  const texts = new Set(nodePolicyRules.map(ruleText))
  return rules.some((rule) => texts.has(ruleText(rule))) || links.some((link) => isTunnelOf(link, 'node'))
}

async function refuseForeign(rtnl: RtnlPort): Promise<void> {
  if (await isOurs(rtnl)) return
  const routes = (await routesThere(rtnl)).map(({ text }) => `ip route ${text}`)
  const rules = (await ruleSteps(rtnl, [])).map(({ what }) => what)
  const found = [...routes, ...rules]
  if (found.length === 0) return
  throw new NodeLevelError(
    'FOREIGN',
    `Somebody else uses the route tables ${Object.values(tables).join(', ')} of this node, which node-level redirection ` +
      `needs for itself: ${found.slice(0, 3).join('; ')}${found.length > 3 ? ` and ${found.length - 3} more` : ''}. ` +
      'Set AMBIENT_REDIRECT_MODE=inpod, or let them use other tables',
  )
}

async function bringPods({ netns, undo }: Undone, pods: PodsByAddress): Promise<string[]> {
  const there = await podEntries(netns)
  if (there === undefined) {
    undo(() => podSet(netns).destroy())
    await podSet(netns).create()
  }
  const missing = missingEntries(there ?? [], pods)
  const foreign = foreignEntries(there ?? [], pods)
  await putEntries(netns, missing, there ?? [], undo)
  await dropEntries(netns, foreign, undo)
  return [
    ...(there === undefined ? [`missing set ${POD_SET}`] : []),
    ...missing.map(missingText),
    ...foreign.map(foreignText),
  ]
}

/** What somebody took out of the set, or gave to another pod. */
const missingEntries = (there: readonly EnrolledAddress[], pods: PodsByAddress) =>
  [...pods]
    .filter(([address, uid]) => !there.some((each) => each.address === address && each.uid === uid))
    .map(([address, uid]) => ({ address, uid }))

/** What somebody else put there: nobody leads to it what is sent to those addresses. */
const foreignEntries = (there: readonly EnrolledAddress[], pods: PodsByAddress): EnrolledAddress[] =>
  there.filter(({ address }) => !pods.has(address))

const missingText = ({ address, uid }: EnrolledAddress): string => `missing ${address} of pod ${uid}`

const foreignText = ({ address, uid = 'nobody' }: EnrolledAddress): string => `unexpected ${address} of pod ${uid}`
