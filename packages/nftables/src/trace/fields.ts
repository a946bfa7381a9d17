import { addressBytes, plainAddress, protocolNumber } from '@cni/types/packet'
import { bigEndian, dataTypes } from '../rules/data-type.ts'
import type { AddrType, Selector } from '../rules/values.ts'
import { hasConnection, isLoopback, stateOf, type TracedPacket } from './traced-packet.ts'

/** Possible values of a packet's field, as big-endian bytes. Empty if the packet lacks the field. */
export type FieldValues = readonly Uint8Array[] | undefined

const NO_VALUES: FieldValues = []

/** Values that a selector such as `tcp dport` may have in the traced packet. */
export function valuesOfField(kind: Selector, traced: TracedPacket): FieldValues {
  const { packet, family, source } = traced
  switch (kind) {
    case 'iifname':
      return name(traced.in)
    case 'oifname':
      return name(traced.out)
    case 'nfproto':
      return [Uint8Array.of(family === 'ip' ? 2 : 10)]
    case 'l4proto':
      return number(protocolOf(traced), 1)
    case 'mark':
      return number(traced.mark, 4)
    case 'skuid':
      return traced.from === 'local' ? number(packet.uid, 4) : NO_VALUES
    case 'skgid':
      return traced.from === 'local' ? number(packet.gid, 4) : NO_VALUES
    case 'pkttype':
      return packetType(traced)
    case 'ip protocol':
      return family === 'ip' ? number(protocolOf(traced), 1) : NO_VALUES
    case 'ip6 nexthdr':
      return family === 'ip6' ? number(protocolOf(traced), 1) : NO_VALUES
    case 'ip saddr':
    case 'ip6 saddr':
      return kind.startsWith(`${family} `) ? address(source.address) : NO_VALUES
    case 'ip daddr':
    case 'ip6 daddr':
      return kind.startsWith(`${family} `) ? address(traced.destination) : NO_VALUES
    case 'tcp sport':
    case 'udp sport':
    case 'th sport':
      return port(kind, source.port, traced)
    case 'tcp dport':
    case 'udp dport':
    case 'th dport':
      return port(kind, traced.dport, traced)
    case 'tcp flags':
      return protocolOf(traced) === TCP ? flagsOfTcp(traced) : NO_VALUES
    case 'icmp type':
    case 'icmpv6 type':
      return protocolOf(traced) === (kind === 'icmp type' ? ICMP : ICMPV6) ? number(packet.icmp?.[0], 1) : NO_VALUES
    default:
      return otherField(kind, traced)
  }
}

const TCP = 6
const ICMP = 1
const ICMPV6 = 58

type OtherField = 'ct state' | 'ct mark' | 'ct direction' | 'ct status' | `fib ${'saddr' | 'daddr'} type` | SocketField
type SocketField = 'socket transparent' | 'socket wildcard' | 'socket mark'

function otherField(kind: OtherField, traced: TracedPacket): FieldValues {
  switch (kind) {
    case 'ct state':
      return [dataTypes.ct_state.write([stateOf(traced).toLowerCase()])?.from ?? new Uint8Array(4)]
    case 'ct mark':
      if (!hasConnection(traced)) return NO_VALUES
      return traced.tracking === 'template' ? undefined : number(traced.connmark, 4)
    case 'ct direction':
      if (!hasConnection(traced)) return NO_VALUES
      return stateOf(traced) === 'NEW' ? [Uint8Array.of(0)] : undefined
    case 'ct status':
      return hasConnection(traced) ? undefined : NO_VALUES
    case 'fib saddr type':
      return addressTypes(traced.source.address, traced)
    case 'fib daddr type':
      return addressTypes(traced.destination, traced)
    default:
      return socket(kind, traced)
  }
}

function socket(kind: SocketField, { packet }: TracedPacket): FieldValues {
  if (packet.socket === 'none') return NO_VALUES
  if (packet.socket === undefined || kind !== 'socket transparent') return undefined
  return [Uint8Array.of(packet.socket === 'transparent' ? 1 : 0)]
}

const protocolOf = ({ packet }: TracedPacket): number => Number(protocolNumber(packet.protocol))

const number = (value: number | undefined, length: number): FieldValues =>
  value === undefined ? undefined : [bigEndian(value, length)]

function name(text: string | undefined): FieldValues {
  if (text === undefined) return undefined
  const bytes = new Uint8Array(dataTypes.ifname.length)
  bytes.set(new TextEncoder().encode(text).subarray(0, bytes.length))
  return [bytes]
}

const address = (text: string | undefined): FieldValues => (text === undefined ? undefined : [addressBytes(text)])

/** Numbers of the protocols with ports: TCP, UDP, DCCP, SCTP, UDP-Lite. */
const withPorts: readonly number[] = [6, 17, 33, 132, 136]

function port(kind: string, value: number | undefined, traced: TracedPacket): FieldValues {
  const protocol = protocolOf(traced)
  const protocols = kind.startsWith('tcp ') ? [6] : kind.startsWith('udp ') ? [17] : withPorts
  if (protocols.includes(protocol)) return number(value, 2)
  // Leaves `th` unknown, because a protocol without ports has other fields at the ports' offset.
  return kind.startsWith('th ') ? undefined : NO_VALUES
}

/** TCP flags of the traced packet. The first packet of a connection has SYN. */
function flagsOfTcp(traced: TracedPacket): FieldValues {
  const { packet } = traced
  const flags = packet.tcpFlags ?? ((packet.state ?? 'NEW') === 'NEW' ? ['SYN'] : undefined)
  if (flags === undefined) return undefined
  const words = flags.map((flag) => flag.toLowerCase())
  return [words.length === 0 ? Uint8Array.of(0) : (dataTypes.tcp_flag.write(words)?.from ?? Uint8Array.of(0))]
}

const packetTypes = { unicast: 0, broadcast: 1, multicast: 2 } as const

/** Link-layer type of the packet. Local packets are `unicast`, before they reach the link layer. */
function packetType({ from, packet }: TracedPacket): FieldValues {
  const type = packet.packetType ?? (from === 'local' || packet.in === 'lo' ? 'unicast' : undefined)
  return type === undefined ? undefined : [Uint8Array.of(packetTypes[type])]
}

const remote: readonly AddrType[] = ['unicast', 'broadcast', 'anycast', 'blackhole', 'unreachable', 'prohibit']

/** Types that the routing table may return for an address of the traced packet. */
function addressTypes(text: string | undefined, { packet }: TracedPacket): FieldValues {
  const found = typesOf(text, packet.local)
  return found.map((word) => dataTypes.fib_addrtype.write(word)?.from ?? new Uint8Array(4))
}

function typesOf(text: string | undefined, local: readonly string[] | undefined): readonly AddrType[] {
  if (text === undefined) return ['local', 'multicast', ...remote]
  const [first = 0] = addressBytes(text)
  if (isLoopback(text)) return ['local']
  if (text.includes(':') ? first === 0xff : first >= 224 && first < 240) return ['multicast']
  if (text === '255.255.255.255' || text === '0.0.0.0') return ['broadcast']
  if (local === undefined) return ['local', ...remote]
  return local.some((each) => plainAddress(each) === text) ? ['local'] : remote
}
