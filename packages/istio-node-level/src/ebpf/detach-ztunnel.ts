import { iptables } from '@cni/iptables'
import { type Netns, type NetnsTarget, openRtnl } from '@cni/netns'
import { messageOf } from '@cni/types'
import { removedRuleSteps, routesThere } from '../network/route-steps.ts'
import type { Objects } from '../objects/objects.ts'
import type { RulesBy } from '../rules.ts'
import { runSteps } from '../step.ts'
import { insideHooks, unhook, ztunnelHooks } from './filters.ts'
import type { Serving } from './serving.ts'

/** Removes the eBPF programs and rules of a former ztunnel. Resolves to warnings. */
export async function detachZtunnel(
  node: NetnsTarget,
  before: Serving | undefined,
  next: Serving | undefined,
  { variant }: Pick<Objects, 'variant'>,
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
