import { parseAddress } from '@cni/types/ip'

/** Packet that a test gives to an eBPF program. IPv4 by default. */
export interface Sent {
  readonly from: string
  readonly to: string
  /** IP protocol number of the packet. Default: 6, TCP. */
  readonly protocol?: number
  /** Destination port of the packet. The source port is 40000. Default: 80. */
  readonly port?: number
  /** Number of 32-bit words of options in the IP header. Default: 0. */
  readonly options?: number
  /** Fragment offset of the packet in units of eight bytes. Default: 0. */
  readonly fragment?: number
  readonly etherType?: number
  /** Length in bytes, with the Ethernet header, to which the packet is truncated. Default: not truncated. */
  readonly length?: number
}

/** Encodes a test packet, with an Ethernet header. */
export function packetOf(sent: Sent): Uint8Array {
  const { from, to, protocol = 6, port = 80, options = 0, fragment = 0, etherType = 0x0800, length } = sent
  const header = 20 + 4 * options
  const bytes = Buffer.alloc(14 + header + 20)
  bytes.fill(2, 0, 12)
  bytes.writeUInt16BE(etherType, 12)
  bytes[14] = 0x40 | (header / 4)
  bytes.writeUInt16BE(header + 20, 16)
  bytes.writeUInt16BE(fragment, 20)
  bytes[22] = 64
  bytes[23] = protocol
  bytes.set(parseAddress(from) ?? [], 26)
  bytes.set(parseAddress(to) ?? [], 30)
  bytes.writeUInt16BE(40_000, 14 + header)
  bytes.writeUInt16BE(port, 16 + header)
  return bytes.subarray(0, length)
}
