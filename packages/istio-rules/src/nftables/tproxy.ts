import type { Placed } from '@cni/nftables/rules'
import { loopback, PASSTHROUGH } from '../capture/addresses.ts'
import type { CaptureConfig } from '../capture/config.ts'
import { OUTBOUND_MARK } from '../iptables/tproxy.ts'
import { ownerId } from './owners.ts'
import { onPort } from './ports.ts'
import { ofIpv6, type Tables } from './tables.ts'

/**
 * Builds the chains that deliver inbound packets to the proxy with TPROXY. `istio-divert` handles established
 * connections.
 */
export function tproxyDelivery(t: Tables, config: CaptureConfig): readonly Placed[] {
  const { tproxyMark: mark, inboundCapturePort: port } = config
  const mangle = t['istio-proxy-mangle']
  const { ipv4, ipv6 } = loopback(config)
  const divert = mangle.on('istio-divert')
  const tcp = mangle.on('istio-tproxy').l4proto('tcp')
  return [
    divert.counter().markSet(mark),
    divert.counter().accept(),
    tcp.ip('daddr').not(ipv4).tproxy('ip', port).markSet(mark).counter().accept(),
    ...ofIpv6(config, [tcp.ip6('daddr').not(ipv6).tproxy('ip6', port).markSet(mark).counter().accept()]),
  ]
}

/** Delivers inbound connections to the proxy with TPROXY, which keeps the original addresses. */
export function tproxyInbound(t: Tables, { includeInboundPorts: included }: CaptureConfig): readonly Placed[] {
  const tcp = t['istio-proxy-mangle'].on('istio-inbound').l4proto('tcp')
  const known = tcp.ct('state', ['established', 'related'])
  if (included === '*') return [known.counter().jump('istio-divert'), tcp.counter().jump('istio-tproxy')]
  return included
    .map(onPort)
    .flatMap((port) => [
      known.tcp('dport', port).counter().jump('istio-divert'),
      tcp.tcp('dport', port).counter().jump('istio-tproxy'),
    ])
}

/** Keeps packets on `lo` out of TPROXY capture. These rules precede all others of `istio-inbound`. */
export function tproxyReturns(t: Tables, config: CaptureConfig): readonly Placed[] {
  if (config.interceptionMode !== 'TPROXY') return []
  const inbound = t['istio-proxy-mangle'].on('istio-inbound')
  const lo = inbound.iifname('lo').l4proto('tcp')
  const fromProxy = lo.ip('saddr', PASSTHROUGH.ipv4).counter().return()
  const notFromProxy = lo.mark().not(OUTBOUND_MARK).counter().return()
  return [
    inbound.l4proto('tcp').mark(config.tproxyMark).counter().return(),
    ...(config.ipv6
      ? [lo.ip6('saddr', PASSTHROUGH.ipv6).counter().return(), notFromProxy, fromProxy]
      : [fromProxy, notFromProxy]),
  ]
}

/**
 * Builds the rules with packet marks for TPROXY. The marks route replies to the proxy, and prevent redirection loops.
 */
export function tproxyMarks(t: Tables, config: CaptureConfig): readonly Placed[] {
  if (config.interceptionMode !== 'TPROXY') return []
  const { tproxyMark: mark, proxyUIDs, proxyGIDs } = config
  const mangle = t['istio-proxy-mangle']
  const { ipv4, ipv6 } = loopback(config)
  const tcp = mangle.on('output').oifname('lo').l4proto('tcp')
  const ownPod = [tcp.ip('daddr').not(ipv4), ...ofIpv6(config, [tcp.ip6('daddr').not(ipv6)])]
  return [
    mangle.on('prerouting').l4proto('tcp').mark(mark).counter().ctMarkSet('mark'),
    tcp.mark(mark).counter().return(),
    ...proxyUIDs.map(ownerId).flatMap((id) => ownPod.map((rule) => rule.skuid(id).counter().markSet(OUTBOUND_MARK))),
    ...proxyGIDs.map(ownerId).flatMap((id) => ownPod.map((rule) => rule.skgid(id).counter().markSet(OUTBOUND_MARK))),
    mangle.on('output').l4proto('tcp').ct('mark', mark).counter().markSet('ct mark'),
  ]
}
