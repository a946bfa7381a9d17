import type { Rule } from '@cni/iptables'
import type { CaptureConfig } from '../capture/config.ts'
import { onPorts, type Tables } from './chains.ts'
import { tproxyDelivery, tproxyInbound } from './tproxy.ts'

/** Builds the rules that redirect connections to the proxy's ports. Connections to the tunnel port are exempt. */
export function proxyPorts({ nat }: Tables, config: CaptureConfig): readonly Rule[] {
  return [
    nat.on('ISTIO_INBOUND').proto('tcp').dport(config.inboundTunnelPort).return(),
    nat.on('ISTIO_REDIRECT').proto('tcp').redirect(config.proxyPort),
    nat.on('ISTIO_IN_REDIRECT').proto('tcp').redirect(config.inboundCapturePort),
  ]
}

/** Redirects inbound connections to the proxy: listed ports, or all ports except excluded ports. */
export function capturedInbound(t: Tables, config: CaptureConfig): readonly Rule[] {
  const { includeInboundPorts: included, excludeInboundPorts, interceptionMode } = config
  if (included.length === 0) return []
  const tproxy = interceptionMode === 'TPROXY'
  const table = tproxy ? t.mangle : t.nat
  const excluded = included === '*' ? excludeInboundPorts : []
  return [
    ...(tproxy ? tproxyDelivery(t, config) : []),
    table.on('PREROUTING').proto('tcp').jump('ISTIO_INBOUND'),
    ...excluded.map((port) => table.on('ISTIO_INBOUND').proto('tcp').dport(port).return()),
    ...(tproxy ? tproxyInbound(t, config) : redirectInbound(t, config)),
  ]
}

function redirectInbound({ nat }: Tables, { includeInboundPorts }: CaptureConfig): readonly Rule[] {
  const tcp = nat.on('ISTIO_INBOUND').proto('tcp')
  return onPorts(tcp, includeInboundPorts).map((rule) => rule.jump('ISTIO_IN_REDIRECT'))
}
