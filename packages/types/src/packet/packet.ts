import { formatAddress } from '../ip/format-address.ts'
import { type IpFamily, parseAddress } from '../ip/parse-address.ts'
import { refuse } from './packet-error.ts'
import { protocolNumber } from './protocols.ts'

/**
 * A packet to trace through a ruleset. The packet's interfaces determine its direction:
 * - `in` alone: incoming.
 * - `in` and `out`: forwarded.
 * - no interface: sent by the machine that has the ruleset.
 *
 * An omitted member is unknown. The trace is undecided if a rule tests an unknown member.
 */
export interface Packet {
  /** IP protocol of the packet: a name such as `tcp`, `udp` or `icmp`, or a number. */
  readonly protocol: string
  readonly src?: string
  readonly sport?: number
  readonly dst: string
  readonly dport?: number
  readonly in?: string
  readonly out?: string
  /**
   * User (`uid`) and group (`gid`) of the process that sends the packet. Only for packets that the machine with the
   * ruleset sends.
   */
  readonly uid?: number
  readonly gid?: number
  /** Packet mark (`fwmark`). Default: 0. */
  readonly mark?: number
  /** Connection mark (`connmark`). Default: 0, as for the first packet of a connection. */
  readonly connmark?: number
  /** Connection tracking state of the packet. Default: `NEW`, as for the first packet of a connection. */
  readonly state?: 'NEW' | 'ESTABLISHED' | 'RELATED' | 'INVALID' | 'UNTRACKED'
  /** TCP flags of the packet. Default: `SYN` alone, as for the first packet of a TCP connection. */
  readonly tcpFlags?: readonly ('FIN' | 'SYN' | 'RST' | 'PSH' | 'ACK' | 'URG')[]
  /** ICMP or ICMPv6 type of the packet, and optionally its code. */
  readonly icmp?: readonly [type: number, code?: number]
  /** Hardware address of the packet's sender. Only for incoming packets. */
  readonly mac?: string
  /** Type of the packet's link-layer destination. Only for incoming packets. */
  readonly packetType?: 'unicast' | 'broadcast' | 'multicast'
  /**
   * Socket that the iptables match `-m socket` finds for the packet. `plain` is an ordinary socket, `transparent` one
   * with the option IP_TRANSPARENT.
   */
  readonly socket?: 'none' | 'plain' | 'transparent'
  /**
   * Addresses of the machine with the ruleset, except loopback addresses. List the receiving interface's address of
   * each family first.
   */
  readonly local?: readonly string[]
}

/** Direction of a packet: sent, received or forwarded by the machine with the ruleset. */
export const directionOf = (packet: Packet): 'local' | 'incoming' | 'forwarded' =>
  packet.in === undefined ? 'local' : packet.out === undefined ? 'incoming' : 'forwarded'

/**
 * Address family of a packet. Throws `PacketError` for an unknown protocol, an invalid address, or two different
 * families.
 */
export function familyOf(packet: Packet): IpFamily {
  checkProtocol(packet.protocol)
  const bytes = addressBytes(packet.dst)
  for (const other of [packet.src, ...(packet.local ?? [])]) {
    if (other === undefined) continue
    const { length } = addressBytes(other)
    if (other === packet.src && length !== bytes.length) refuse(`${other} and ${packet.dst} are of two families`)
  }
  return bytes.length === 4 ? 'ipv4' : 'ipv6'
}

/** Parses an address of a packet to bytes. Throws `PacketError` for an invalid address. */
export const addressBytes = (text: string): Uint8Array =>
  parseAddress(text) ?? refuse(`${JSON.stringify(text)} is not an IP address`)

/** Canonical text of a packet's address. */
export const plainAddress = (text: string): string => formatAddress(addressBytes(text))

/** Throws `PacketError` for an unknown protocol name, because no rule would ever match the packet. */
export function checkProtocol(name: string): void {
  if (protocolNumber(name) === undefined) refuse(`${JSON.stringify(name)} is not a protocol`)
}
