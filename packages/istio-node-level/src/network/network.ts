import type { SysctlPort } from '@cni/netns'
import { runSteps, type Step } from '../step.ts'
import type { NetworkPlan, WantedSysctl } from './network-plan.ts'
import type { NetworkPorts, RollbackNetworkPorts } from './network-ports.ts'
import { sysctlText } from './network-text.ts'
import { routeSteps, ruleSteps } from './route-steps.ts'
import { remoteSteps, tunnelSteps } from './tunnel-steps.ts'

/** Applies a network plan to a namespace. `leadTunnels` sets the remote addresses of existing tunnels. */
export async function applyNetwork(ports: RollbackNetworkPorts, plan: NetworkPlan): Promise<string[]> {
  const { rtnl, settings } = ports
  return [
    // Creates the tunnels first: sysctls, routes and policy rules refer to the tunnel links.
    ...(await runSteps(await tunnelSteps(ports, plan.tunnels))),
    ...(await runSteps(await sysctlSteps(settings, plan.sysctls))),
    ...(await runSteps(await routeSteps(rtnl, plan.routes))),
    ...(await runSteps(await ruleSteps(rtnl, plan.rules))),
  ]
}

/**
 * Sets the remote addresses of the tunnels to the address of ztunnel. Resolves to the differences that it corrected.
 */
export const pointTunnels = async ({ rtnl }: NetworkPorts, { tunnels }: NetworkPlan): Promise<string[]> =>
  runSteps(await remoteSteps(rtnl, tunnels))

/** Describes differences between a namespace and its network plan. Only reads. */
export async function networkDrift({ rtnl, settings }: NetworkPorts, plan: NetworkPlan): Promise<string[]> {
  const steps = [
    ...(await tunnelSteps({ rtnl, settings, undo: () => {} }, plan.tunnels)),
    ...(await remoteSteps(rtnl, plan.tunnels)),
    ...(await sysctlSteps(settings, plan.sysctls)),
    ...(await routeSteps(rtnl, plan.routes)),
    ...(await ruleSteps(rtnl, plan.rules)),
  ]
  return steps.map(({ what }) => what)
}

/** Returns steps that write the sysctls whose values differ from the wanted ones. */
export async function sysctlSteps(settings: SysctlPort, wanted: readonly WantedSysctl[]): Promise<Step[]> {
  const there = await Promise.all(wanted.map(({ name }) => settings.get(name)))
  return wanted.flatMap((each, at) => {
    const value = there[at]
    if (value === each.value) return []
    const what = `setting ${sysctlText(each)} is ${value ?? 'missing'}`
    return [{ what, run: () => settings.set(each.name, each.value) }]
  })
}
