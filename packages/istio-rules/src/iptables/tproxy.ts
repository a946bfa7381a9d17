import type { Rule } from '@cni/iptables'
import { loopback, PASSTHROUGH } from '../capture/addresses.ts'
import type { CaptureConfig } from '../capture/config.ts'
import { onPorts, type Tables } from './chains.ts'

/** Marks what the proxy sends to its own pod, so that it is told from what the application sends there. */
export const OUTBOUND_MARK = 1338

/** Packets of a connection that has a transparent socket are marked for the local route; new ones are handed over. */
export function tproxyDelivery({ mangle }: Tables, config: CaptureConfig): readonly Rule[] {
  const { tproxyMark: mark, inboundCapturePort: port } = config
  return [
    mangle.on('ISTIO_DIVERT').setMark(mark),
    mangle.on('ISTIO_DIVERT').accept(),
    mangle.on('ISTIO_TPROXY').not.dst(loopback(config)).proto('tcp').tproxy({ port, mark, mask: 0xffff_ffff }),
  ]
}

/** Inbound connections are handed to the proxy with their addresses intact. */
export function tproxyInbound({ mangle }: Tables, { includeInboundPorts }: CaptureConfig): readonly Rule[] {
  const tcp = mangle.on('ISTIO_INBOUND').proto('tcp')
  return onPorts(tcp, includeInboundPorts).flatMap((rule) => [
    rule.ctstate('RELATED', 'ESTABLISHED').jump('ISTIO_DIVERT'),
    rule.jump('ISTIO_TPROXY'),
  ])
}

/** The proxy keeps the client's address towards the application: marks carry the replies back and break the loops. */
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
