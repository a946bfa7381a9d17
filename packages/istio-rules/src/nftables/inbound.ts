import type { Placed } from '@cni/nftables/rules'
import type { CaptureConfig } from '../capture/config.ts'
import { onPort } from './ports.ts'
import type { Tables } from './tables.ts'
import { tproxyDelivery, tproxyInbound } from './tproxy.ts'

/** Builds the rules that redirect connections to the proxy's ports. Connections to the tunnel port are exempt. */
export function proxyPorts(t: Tables, config: CaptureConfig): readonly Placed[] {
  const nat = t['istio-proxy-nat']
  return [
    nat.on('istio-inbound').l4proto('tcp').tcp('dport', config.inboundTunnelPort).counter().return(),
    nat.on('istio-redirect').l4proto('tcp').counter().redirect(config.proxyPort),
    nat.on('istio-in-redirect').l4proto('tcp').counter().redirect(config.inboundCapturePort),
  ]
}

/** Redirects inbound connections to the proxy: listed ports, or all ports except excluded ports. */
export function capturedInbound(t: Tables, config: CaptureConfig): readonly Placed[] {
  const { includeInboundPorts: included, excludeInboundPorts, interceptionMode } = config
  if (included.length === 0) return []
  const excluded = (included === '*' ? excludeInboundPorts : []).map(onPort)
  if (interceptionMode === 'TPROXY') {
    const mangle = t['istio-proxy-mangle']
    const tcp = mangle.on('istio-inbound').l4proto('tcp')
    return [
      ...tproxyDelivery(t, config),
      mangle.on('prerouting').l4proto('tcp').counter().jump('istio-inbound'),
      ...excluded.map((port) => tcp.tcp('dport', port).counter().return()),
      ...tproxyInbound(t, config),
    ]
  }
  const nat = t['istio-proxy-nat']
  const tcp = nat.on('istio-inbound').l4proto('tcp')
  const captured = included === '*' ? [tcp] : included.map((port) => tcp.tcp('dport', onPort(port)))
  return [
    nat.on('prerouting').l4proto('tcp').counter().jump('istio-inbound'),
    ...excluded.map((port) => tcp.tcp('dport', port).counter().return()),
    ...captured.map((rule) => rule.counter().jump('istio-in-redirect')),
  ]
}
