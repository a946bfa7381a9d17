import type { Packet } from '@cni/types/packet'

/**
 * What a packet made here lacks, as it is in an ordinary pod: it leaves by `eth0` unless it is for the pod itself, and
 * the group of its sender has the number of the user.
 */
export function completePacket(packet: Packet): Packet {
  if (packet.in !== undefined) return packet
  const inside = !isOutside(packet.dst) || packet.local?.includes(packet.dst) === true
  const { out = inside ? 'lo' : 'eth0', uid, gid = uid, src } = packet
  // on lo the kernel takes the destination for the source; elsewhere it is an address of the pod, never that of the proxy
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

/** Whether an address is not one of loopback. */
export const isOutside = (address: string): boolean => address !== '::1' && !address.startsWith('127.')
