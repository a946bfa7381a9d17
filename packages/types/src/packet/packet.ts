import { formatAddress } from '../ip/format-address.ts'
import { type IpFamily, parseAddress } from '../ip/parse-address.ts'
import { refuse } from './packet-error.ts'
import { protocolNumber } from './protocols.ts'

/**
 * A packet to trace. Its interfaces say where it is from: with `in` it came in, with `in` and `out` it is forwarded,
 * else it was made here. What is not given is not known, and a rule that asks for it makes the trace undecided.
 */
export interface Packet {
  /** `tcp`, `udp`, `icmp`, … or a number. */
  readonly protocol: string
  readonly src?: string
  readonly sport?: number
  readonly dst: string
  readonly dport?: number
  readonly in?: string
  readonly out?: string
  /** Owner of the sending socket; only of packets made here. */
  readonly uid?: number
  readonly gid?: number
  /** Default: 0. */
  readonly mark?: number
  /** Default: 0 for the first packet of a connection. */
  readonly connmark?: number
  /** State of the packet in conntrack. Default: `NEW`, the first packet of its connection. */
  readonly state?: 'NEW' | 'ESTABLISHED' | 'RELATED' | 'INVALID' | 'UNTRACKED'
  /** Default: `SYN` alone for the first packet of a TCP connection. */
  readonly tcpFlags?: readonly ('FIN' | 'SYN' | 'RST' | 'PSH' | 'ACK' | 'URG')[]
  /** Type and code of ICMP or ICMPv6. */
  readonly icmp?: readonly [type: number, code?: number]
  /** Hardware address of the sender; only of packets that came in. */
  readonly mac?: string
  /** Only of packets that came in; one that was made here is `unicast`. */
  readonly packetType?: 'unicast' | 'broadcast' | 'multicast'
  /** The socket that `-m socket` finds for the packet: none, or one bound to an address, transparent or not. */
  readonly socket?: 'none' | 'plain' | 'transparent'
  /** All addresses of this machine but the loopback ones; the first of a family is that of the incoming interface. */
  readonly local?: readonly string[]
}

/** Whether a packet was made here, is for here, or passes through. */
export const directionOf = (packet: Packet): 'local' | 'incoming' | 'forwarded' =>
  packet.in === undefined ? 'local' : packet.out === undefined ? 'incoming' : 'forwarded'

/** The family of a packet; throws `PacketError` for an unknown protocol, an invalid address or addresses of two families. */
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

/** The bytes of an address; throws for anything else. */
export const addressBytes = (text: string): Uint8Array =>
  parseAddress(text) ?? refuse(`${JSON.stringify(text)} is not an IP address`)

/** The one spelling of an address. */
export const plainAddress = (text: string): string => formatAddress(addressBytes(text))

/** Throws `PacketError` for a protocol that no rule could name: it would match nothing, without a word. */
export function checkProtocol(name: string): void {
  if (protocolNumber(name) === undefined) refuse(`${JSON.stringify(name)} is not a protocol`)
}
