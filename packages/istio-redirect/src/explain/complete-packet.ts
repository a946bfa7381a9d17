import type { Packet } from '@cni/types/packet'

/**
 * Fills in missing members of a packet to trace, with usual values. The packet leaves by `eth0`, or by `lo` if its
 * destination is the pod. The group ID equals the user ID.
 */
export function completePacket(packet: Packet): Packet {
  if (packet.in !== undefined) return packet
  const inside = !isOutside(packet.dst) || packet.local?.includes(packet.dst) === true
  const { out = inside ? 'lo' : 'eth0', uid, gid = uid, src } = packet
  // Default source address: the destination address for a packet on `lo`, otherwise the pod's own address.
  const family = packet.dst.includes(':')
  const own = packet.local?.find((address) => address.includes(':') === family)
  const from = src ?? (inside ? packet.dst : own)
  return {
    ...packet,
    out,
    ...(gid === undefined ? {} : { gid }),
    ...(from === undefined ? {} : { src: from }),
  }
}

/** True if the IP address is not a loopback address. */
export const isOutside = (address: string): boolean => address !== '::1' && !address.startsWith('127.')
