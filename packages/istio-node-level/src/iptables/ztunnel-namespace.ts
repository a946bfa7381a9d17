import { iptables } from '@cni/iptables'
import { type NetnsTarget, openRtnl, sysctl } from '@cni/netns'
import { applyNetwork, networkDrift, pointTunnels } from '../network/network.ts'
import { removedRuleSteps, routesThere } from '../network/route-steps.ts'
import { removeTunnels } from '../network/tunnel-steps.ts'
import { applyRules, type RollbackNamespace, type RulesBy, rulesDrift } from '../rules.ts'
import { runSteps } from '../step.ts'
import type { ZtunnelPlan } from './ztunnel-plan.ts'

/**
 * Writes rules and network settings of a plan into ztunnel's namespace. Resolves to the differences that it corrected.
 */
export async function applyZtunnel(namespace: RollbackNamespace, plan: ZtunnelPlan, by: RulesBy): Promise<string[]> {
  using rtnl = await openRtnl(namespace)
  const ports = { rtnl, settings: sysctl(namespace), undo: namespace.undo }
  const network = [...(await applyNetwork(ports, plan.network)), ...(await pointTunnels(ports, plan.network))]
  return [...network, ...(await applyRules(namespace, plan.rules, by))]
}

/** Describes differences between ztunnel's namespace and its plan. Only reads. */
export async function ztunnelDrift(netns: NetnsTarget, plan: ZtunnelPlan, by: RulesBy): Promise<string[]> {
  using rtnl = await openRtnl(netns)
  return [
    ...(await networkDrift({ rtnl, settings: sysctl(netns) }, plan.network)),
    ...(await rulesDrift(netns, plan.rules, by)),
  ]
}

/** Removes the rules, routes and tunnels of a plan from ztunnel's namespace. The sysctls keep their values. */
export async function removeZtunnel(netns: NetnsTarget, plan: ZtunnelPlan, by: RulesBy): Promise<void> {
  await iptables(netns, by).remove(plan.rules)
  using rtnl = await openRtnl(netns)
  await runSteps(await removedRuleSteps(rtnl, plan.network.rules))
  for (const { route } of await routesThere(rtnl)) await rtnl.deleteRoute(route)
  await removeTunnels(rtnl, 'ztunnel')
}
