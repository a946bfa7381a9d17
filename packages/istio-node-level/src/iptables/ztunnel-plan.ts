import { type Ruleset, ruleset } from '@cni/iptables'
import { HBONE_PORT, INBOUND_PORT, OUTBOUND_PORT } from '@cni/istio-rules'
import { tables, tunnels, ztunnelMarkMask, ztunnelMarks, ztunnelPriorities } from '../names.ts'
import { markRule, type NetworkPlan, withoutReversePath } from '../network/network-plan.ts'
import type { ZtunnelFacts } from './facts.ts'

/** iptables rules and network settings of ztunnel's namespace, for redirection by tunnels. */
export interface ZtunnelPlan {
  readonly facts: ZtunnelFacts
  readonly rules: Ruleset
  readonly network: NetworkPlan
}

/** Plans the settings of ztunnel's namespace, as in `CreateRulesWithinNodeProxyNS` of Istio 1.19. */
export function ztunnelPlan(facts: ZtunnelFacts): ZtunnelPlan {
  return { facts, rules: rules(facts), network: network(facts) }
}

// internal

function rules({ veth, ztunnelIp }: ZtunnelFacts): Ruleset {
  const [pistioin] = tunnels.inbound.ztunnel
  const [pistioout] = tunnels.outbound.ztunnel
  const tproxy = (port: number) => ({ port, on: '127.0.0.1', mark: ztunnelMarks.tproxy, mask: ztunnelMarkMask })
  return ruleset({ mangle: [] }, ({ mangle }) => {
    const tcp = mangle.on('PREROUTING').only('ipv4').proto('tcp')
    return [
      tcp.in(pistioin).dport(HBONE_PORT).tproxy(tproxy(HBONE_PORT)),
      tcp.in(pistioout).tproxy(tproxy(OUTBOUND_PORT)),
      tcp.in(pistioin).tproxy(tproxy(INBOUND_PORT)),
      tcp.in(veth).not.dst(ztunnelIp).setMark(ztunnelMarks.originalSourceReturn, ztunnelMarkMask),
    ]
  })
}

function network({ veth, nodeIp, tunnel: kind, port }: ZtunnelFacts): NetworkPlan {
  const ends = [tunnels.inbound, tunnels.outbound].map(({ id, ztunnel: [name, address] }) => ({ id, name, address }))
  const everything = '0.0.0.0/0'
  const toNode = { to: `${nodeIp}/32`, link: veth, scope: 'link' } as const
  const mask = ztunnelMarkMask
  const { tproxy, originalSourceReturn } = ztunnelMarks
  return {
    sysctls: withoutReversePath(['default', 'all', veth, ...ends.map(({ name }) => name)]),
    tunnels: ends.map(({ id, name, address }) => ({ name, kind, id, remote: nodeIp, port, cidr: `${address}/30` })),
    routes: [
      { table: tables.inbound, to: everything, link: 'lo', type: 'local', scope: 'host' },
      {
        table: tables.outbound,
        to: everything,
        gateway: tunnels.outbound.node[1],
        link: tunnels.outbound.ztunnel[0],
      },
      { table: tables.proxy, to: everything, gateway: tunnels.inbound.node[1], link: tunnels.inbound.ztunnel[0] },
      { table: tables.outbound, ...toNode },
      { table: tables.proxy, ...toNode },
    ],
    rules: [
      markRule(ztunnelPriorities.tproxy, { mark: tproxy, mask }, { table: tables.inbound }),
      markRule(ztunnelPriorities.originalSourceReturn, { mark: originalSourceReturn, mask }, { table: tables.inbound }),
    ],
  }
}
