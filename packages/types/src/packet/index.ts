/**
 * Packets for tracing through a ruleset, as objects and as lines of text.
 *
 * @example
 * ```ts
 * import { packetText, parsePacket } from '@cni/types/packet'
 *
 * const packet = parsePacket('tcp 10.0.0.5:80 uid 1000') // made here, by user 1000
 * export const incoming = packetText({ ...packet, in: 'eth0' })
 * ```
 *
 * @module
 */

export {
  addressBytes,
  directionOf,
  familyOf,
  type Packet,
  plainAddress,
} from './packet.ts'
export { endpointText, packetText, parsePacket } from './packet-text.ts'
export { explainWay } from './packet-way.ts'
export { protocolNumber, protocolNumbers } from './protocols.ts'
