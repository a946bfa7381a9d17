import type { Ruleset } from '@cni/iptables'
import type { NewPolicyRule } from '@cni/netns'
import { MAIN_PRIORITY, marks, priorities, tables, tunnels } from '../names.ts'
import {
  acceptLocal,
  markRule,
  type NetworkPlan,
  type WantedRoute,
  withoutReversePath,
} from '../network/network-plan.ts'
import type { NodeFacts } from './facts.ts'
import { nodeRules } from './node-rules.ts'

/** iptables rules and network settings of the node while a ztunnel serves the node's pods. */
export interface NodePlan {
  readonly facts: NodeFacts
  readonly rules: Ruleset
  readonly network: NetworkPlan
}

/** Plans the node's rules and network settings, as in `CreateRulesOnNode` of Istio 1.19. */
export function nodePlan(facts: NodeFacts): NodePlan {
  return { facts, rules: nodeRules(facts), network: network(facts) }
}

/** Policy rules (`ip rule`) of the node. They do not depend on ztunnel. */
export const nodePolicyRules: readonly NewPolicyRule[] = [
  markRule(priorities.skip, { mark: marks.skip }, { table: 0, goto: MAIN_PRIORITY }),
  markRule(priorities.outbound, { mark: marks.outbound }, { table: tables.outbound }),
  markRule(priorities.proxyReturn, { mark: marks.proxyReturn }, { table: tables.proxy }),
  { family: 'ipv4', priority: priorities.pods, table: tables.inbound },
]

/** Returns the node's route to a pod in the mesh, through the inbound tunnel. */
export const podRoute = (address: string, { hostIp }: Pick<NodeFacts, 'hostIp'>): WantedRoute => ({
  table: tables.inbound,
  to: `${address}/32`,
  gateway: tunnels.inbound.ztunnel[1],
  link: tunnels.inbound.node[0],
  source: hostIp,
})

/** Derives the plan for a node without a ztunnel. Pods' routes stay, so that no traffic bypasses the mesh. */
export function planWithoutZtunnel({ facts, rules, network }: NodePlan): NodePlan {
  const { ztunnelVeth } = facts
  const settings = new Set(
    [...withoutReversePath([ztunnelVeth]), ...acceptLocal([ztunnelVeth])].map(({ name }) => name),
  )
  return {
    facts,
    rules,
    network: {
      ...network,
      sysctls: network.sysctls.filter(({ name }) => !settings.has(name)),
      routes: network.routes.filter(({ link }) => link !== ztunnelVeth),
    },
  }
}

// internal

function network({ ztunnelIp, ztunnelVeth, tunnel: kind, port }: NodeFacts): NetworkPlan {
  const ends = [tunnels.inbound, tunnels.outbound].map(({ id, node: [name, address] }) => ({ id, name, address }))
  const names = ends.map(({ name }) => name)
  const toZtunnel = { to: `${ztunnelIp}/32`, link: ztunnelVeth, scope: 'link' } as const
  const everything = '0.0.0.0/0'
  return {
    sysctls: [
      ...withoutReversePath(['default', 'all', ztunnelVeth, ...names]),
      ...acceptLocal([ztunnelVeth, ...names]),
    ],
    tunnels: ends.map(({ id, name, address }) => ({ name, kind, id, remote: ztunnelIp, port, cidr: `${address}/30` })),
    routes: [
      { table: tables.outbound, ...toZtunnel },
      {
        table: tables.outbound,
        to: everything,
        gateway: tunnels.outbound.ztunnel[1],
        link: tunnels.outbound.node[0],
      },
      { table: tables.proxy, ...toZtunnel },
      { table: tables.proxy, to: everything, gateway: ztunnelIp, link: ztunnelVeth, onlink: true },
      { table: tables.inbound, ...toZtunnel },
    ],
    rules: nodePolicyRules,
  }
}
