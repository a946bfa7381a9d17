import { protocolNumber } from '@cni/types/packet'
import { stateOf, type TracedPacket } from './traced-packet.ts'

/** `--tcp-flags MASK SET`: of the flags in the mask, exactly those in SET are set. */
export function hasFlags(mask: string, set: string, traced: TracedPacket): boolean | undefined {
  const { packet } = traced
  const first = packet.state === undefined || packet.state === 'NEW'
  const flags = packet.tcpFlags ?? (first ? (['SYN'] as const) : undefined)
  const maskFlags = flagNames(mask)
  const expected = flagNames(set)
  if (flags === undefined || maskFlags === undefined || expected === undefined) return undefined
  const seen = maskFlags.filter((name) => flags.some((flag) => flag === name))
  return seen.length === expected.length && seen.every((name) => expected.includes(name))
}

/** `--icmp-type`: the packet has the ICMP type `any`, `8` (type), or `3/1` (type and code). */
export function isIcmp(text: string, { packet }: TracedPacket): boolean | undefined {
  if (text === 'any' || text === '255') return true
  const [, type, code] = /^(\d+)(?:\/(\d+))?$/.exec(text) ?? []
  if (type === undefined || packet.icmp === undefined) return undefined
  if (packet.icmp[0] !== Number(type)) return false
  if (code === undefined) return true
  return packet.icmp[1] === undefined ? undefined : packet.icmp[1] === Number(code)
}

/** True if a packet has a match module's protocol. Even a negated match needs this protocol. */
export function isOf(module: string, { packet }: TracedPacket): boolean {
  const numbers: Readonly<Record<string, string>> = { icmp: '1', icmp6: '58' }
  return (numbers[module] ?? protocolNumber(module)) === protocolNumber(packet.protocol)
}

/** True if the packet arrived over a wire. All other packets lack a hardware address. */
export const cameOverWire = ({ from, packet }: TracedPacket): boolean => from !== 'local' && packet.in !== 'lo'

/** `--pkt-type`: the packet has this link-layer type. A local packet is unicast by default. */
export function isPacketType(type: string, { from, packet }: TracedPacket): boolean | undefined {
  const given = from === 'local' || packet.in === 'lo' ? (packet.packetType ?? 'unicast') : packet.packetType
  return given === undefined ? undefined : given === type || (type === 'host' && given === 'unicast')
}

/** `-m socket`: a local socket belongs to the packet, according to the caller of `trace`. */
export function hasSocket(options: 'any' | 'transparent', traced: TracedPacket): boolean | undefined {
  const { socket } = traced.packet
  if (socket === undefined) return undefined
  return options === 'any' ? socket !== 'none' : socket === 'transparent'
}

/** `-m conntrack --ctdir`: direction of the packet, known only for the connection's first packet. */
export function isDirection(text: string, traced: TracedPacket): boolean | undefined {
  if (stateOf(traced) !== 'NEW') return undefined
  return text.toUpperCase() === 'ORIGINAL'
}

// internal

const all = ['FIN', 'SYN', 'RST', 'PSH', 'ACK', 'URG']

function flagNames(text: string): readonly string[] | undefined {
  if (text === 'ALL') return all
  if (text === 'NONE') return []
  const names = text.split(',')
  return names.every((name) => all.includes(name)) ? names : undefined
}
