import type { Rule } from '@cni/iptables'
import { loopback, PASSTHROUGH } from '../capture/addresses.ts'
import type { CaptureConfig } from '../capture/config.ts'
import { onPorts, type Tables } from './chains.ts'

/** Mark of packets that the proxy, not the application, sends to its own pod. */
export const OUTBOUND_MARK = 1338

/**
 * Builds the chains that deliver inbound packets to the proxy with TPROXY. `ISTIO_DIVERT` handles established
 * connections.
 */
export function tproxyDelivery({ mangle }: Tables, config: CaptureConfig): readonly Rule[] {
  const { tproxyMark: mark, inboundCapturePort: port } = config
  return [
    mangle.on('ISTIO_DIVERT').setMark(mark),
    mangle.on('ISTIO_DIVERT').accept(),
    mangle.on('ISTIO_TPROXY').not.dst(loopback(config)).proto('tcp').tproxy({ port, mark, mask: 0xffff_ffff }),
  ]
}

/** Delivers inbound connections to the proxy with TPROXY, which keeps the original addresses. */
export function tproxyInbound({ mangle }: Tables, { includeInboundPorts }: CaptureConfig): readonly Rule[] {
  const tcp = mangle.on('ISTIO_INBOUND').proto('tcp')
  return onPorts(tcp, includeInboundPorts).flatMap((rule) => [
    rule.ctstate('RELATED', 'ESTABLISHED').jump('ISTIO_DIVERT'),
    rule.jump('ISTIO_TPROXY'),
  ])
}

/**
 * Builds the rules with packet marks for TPROXY. The marks route replies to the proxy, and prevent redirection loops.
 */
export function tproxyLoops({ mangle }: Tables, config: CaptureConfig): readonly Rule[] {
  if (config.interceptionMode !== 'TPROXY') return []
  const { tproxyMark: mark, proxyUIDs, proxyGIDs } = config
  const ownPod = mangle.on('OUTPUT').not.dst(loopback(config)).proto('tcp').out('lo')
  return [
    mangle.on('PREROUTING').proto('tcp').mark(mark).saveMark(),
    mangle.on('OUTPUT').proto('tcp').out('lo').mark(mark).return(),
    ...proxyUIDs.map((uid) => ownPod.uid(uid).setMark(OUTBOUND_MARK)),
    ...proxyGIDs.map((gid) => ownPod.gid(gid).setMark(OUTBOUND_MARK)),
    mangle.on('OUTPUT').proto('tcp').connmark(mark).restoreMark(),
    mangle.insert('ISTIO_INBOUND', 1).proto('tcp').mark(mark).return(),
    mangle.insert('ISTIO_INBOUND', 2).proto('tcp').src(PASSTHROUGH).in('lo').return(),
    mangle.insert('ISTIO_INBOUND', 3).proto('tcp').in('lo').not.mark(OUTBOUND_MARK).return(),
  ]
}
