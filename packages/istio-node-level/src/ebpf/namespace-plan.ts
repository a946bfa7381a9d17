import { type Ruleset, ruleset } from '@cni/iptables'
import { HBONE_PORT, INBOUND_PORT, OUTBOUND_PORT } from '@cni/istio-rules'
import { tables, ztunnelMarkMask, ztunnelMarks, ztunnelPriorities } from '../names.ts'
import { markRule, type NetworkPlan, withoutReversePath } from '../network/network-plan.ts'
import type { Variant } from '../objects/objects.ts'
import { packetMarks } from '../programs/constants.ts'

/** Settings of ztunnel's namespace that its eBPF program needs: sysctls, routes and rules. */
export interface NamespacePlan {
  readonly network: Pick<NetworkPlan, 'sysctls' | 'routes' | 'rules'>
  /** iptables rules for the variant `mark`, in which no eBPF program assigns packets to sockets. */
  readonly rules?: Ruleset | undefined
}

/** Inputs of {@link namespacePlan}, the plan for ztunnel's namespace. */
export interface NamespaceFacts {
  readonly variant: Variant
  /** Name of ztunnel's veth inside ztunnel's namespace. */
  readonly veth: string
  readonly ztunnelIp: string
}

/**
 * Plans the settings of ztunnel's namespace. Reverse path filtering is off, because redirected packets keep their
 * source addresses.
 */
export function namespacePlan(facts: NamespaceFacts): NamespacePlan {
  const { variant, veth } = facts
  const { tproxy, originalSourceReturn } = ztunnelMarks
  const marked = variant === 'tproxy' ? [] : [[ztunnelPriorities.originalSourceReturn, originalSourceReturn] as const]
  const all = [[ztunnelPriorities.tproxy, tproxy] as const, ...marked]
  return {
    network: {
      sysctls: withoutReversePath(['default', 'all', veth]),
      routes: [{ table: tables.inbound, to: '0.0.0.0/0', link: 'lo', type: 'local', scope: 'host' }],
      rules: all.map(([priority, mark]) =>
        markRule(priority, { mark, mask: ztunnelMarkMask }, { table: tables.inbound }),
      ),
    },
    rules: variant === 'tproxy' ? undefined : markRules(facts),
  }
}

// internal

function markRules({ veth, ztunnelIp }: NamespaceFacts): Ruleset {
  const tproxy = (port: number) => ({ port, on: '127.0.0.1', mark: ztunnelMarks.tproxy, mask: ztunnelMarkMask })
  return ruleset({ mangle: [] }, ({ mangle }) => {
    const tcp = mangle.on('PREROUTING').only('ipv4').proto('tcp')
    const inbound = tcp.mark(packetMarks.inbound)
    return [
      inbound.dport(HBONE_PORT).tproxy(tproxy(HBONE_PORT)),
      inbound.tproxy(tproxy(INBOUND_PORT)),
      tcp.mark(packetMarks.outbound).tproxy(tproxy(OUTBOUND_PORT)),
      tcp.in(veth).not.dst(ztunnelIp).setMark(ztunnelMarks.originalSourceReturn, ztunnelMarkMask),
    ]
  })
}
