import type { MachineState } from './machine-state.ts'
import type { IptablesSettings } from './settings.ts'

/** Prints the settings in effect, one `NAME=value` on each line. */
export function configText(
  s: IptablesSettings,
  machine: MachineState,
  env: Readonly<Record<string, string | undefined>>,
) {
  const { proxyUID, proxyGID, ipv6, dnsServers } = machine
  const values: Readonly<Record<string, string | boolean>> = {
    PROXY_PORT: s.proxyPort,
    PROXY_INBOUND_CAPTURE_PORT: s.inboundCapturePort,
    PROXY_TUNNEL_PORT: s.inboundTunnelPort,
    PROXY_UID: proxyUID,
    PROXY_GID: proxyGID,
    INBOUND_INTERCEPTION_MODE: s.mode,
    INBOUND_TPROXY_MARK: s.tproxyMark,
    INBOUND_TPROXY_ROUTE_TABLE: s.tproxyRouteTable,
    INBOUND_PORTS_INCLUDE: s.includeInboundPorts,
    INBOUND_PORTS_EXCLUDE: s.excludeInboundPorts,
    OUTBOUND_OWNER_GROUPS_INCLUDE: env.ISTIO_OUTBOUND_OWNER_GROUPS ?? '*',
    OUTBOUND_OWNER_GROUPS_EXCLUDE: env.ISTIO_OUTBOUND_OWNER_GROUPS_EXCLUDE ?? '',
    OUTBOUND_IP_RANGES_INCLUDE: s.includeOutboundIPRanges,
    OUTBOUND_IP_RANGES_EXCLUDE: s.excludeOutboundIPRanges,
    OUTBOUND_PORTS_INCLUDE: s.includeOutboundPorts,
    OUTBOUND_PORTS_EXCLUDE: s.excludeOutboundPorts,
    KUBE_VIRT_INTERFACES: s.rerouteVirtualInterfaces,
    ENABLE_INBOUND_IPV6: ipv6,
    DUAL_STACK: s.dualStack,
    DNS_CAPTURE: s.redirectDns,
    DROP_INVALID: s.dropInvalid,
    CAPTURE_ALL_DNS: s.captureAllDns,
    DNS_SERVERS: `[${dnsServers.ipv4.join(' ')}],[${dnsServers.ipv6.join(' ')}]`,
    NETWORK_NAMESPACE: s.networkNamespace,
    CNI_MODE: s.cniMode,
    EXCLUDE_INTERFACES: s.excludeInterfaces,
    RECONCILE: s.reconcile,
    CLEANUP_ONLY: s.cleanupOnly,
    FORCE_APPLY: s.forceApply,
    NATIVE_NFTABLES: s.nativeNftables,
    FORCE_IPTABLES_BINARY: s.forceIptablesBinary,
  }
  const lines = Object.entries(values).map(([name, value]) => `${name}=${value}\n`)
  return `Istio config:\n${lines.join('')}`
}
