import { formatAddress } from '@cni/types/ip'
import { addressBytes, protocolNumber } from '@cni/types/packet'
import type { Condition } from '../parse/canonical.ts'
import { isOfType } from './address-type.ts'
import { cameOverWire, hasFlags, hasSocket, isDirection, isIcmp, isOf, isPacketType } from './fields.ts'
import { inRange, inSet } from './sets.ts'
import { hasConnection, stateOf, type TracedPacket } from './traced-packet.ts'

/** True if a traced packet meets a rule's condition; `undefined` if that is unknown. */
export function meets(condition: Condition, traced: TracedPacket): boolean | undefined {
  // A packet without a connection has no connection mark: neither a `connmark` condition nor its negation matches.
  if (condition.module === 'connmark' && !hasConnection(traced)) return false
  if (condition.module === 'mac' && !cameOverWire(traced)) return false
  if (protocolModules.has(condition.module) && !isOf(condition.module, traced)) return false
  const met = plain(condition, traced)
  return met === undefined ? undefined : met !== condition.not
}

/** Prints a rule's condition as iptables options. */
export function conditionText({ module, option, not, values }: Condition): string {
  const name = option === '' ? '' : `${module === '' ? '-' : '--'}${option}`
  const words = [module === '' ? '' : `-m ${module}`, not ? '!' : '', name, ...values.map(written)]
  return words.filter((word) => word !== '').join(' ')
}

// internal

function plain({ module, option, values }: Condition, traced: TracedPacket): boolean | undefined {
  const [value = '', second = ''] = values
  const { packet } = traced
  switch (`${module}.${option}`) {
    case 'comment.comment':
      return true
    case '.p':
      return /^\d+$/.test(value) ? protocolNumber(packet.protocol) === value : undefined
    case '.s':
      return inNetwork(traced.source.address, value)
    case '.d':
      return inNetwork(traced.dst, value)
    case '.i':
      return isInterface(traced.in, value)
    case '.o':
      return isInterface(traced.out, value)
    case 'owner.uid-owner':
      return owns(packet.uid, value, traced)
    case 'owner.gid-owner':
      return owns(packet.gid, value, traced)
    case 'owner.socket-exists':
      if (traced.from !== 'local') return false
      return packet.uid === undefined && packet.gid === undefined ? undefined : true
    case 'mark.mark':
      return hasMark(traced.mark, value)
    case 'connmark.mark':
      return traced.tracking === 'template' ? undefined : hasMark(traced.connmark, value)
    case 'conntrack.ctstate':
    case 'state.state':
      return inState(value.split(','), traced)
    case 'conntrack.ctdir':
      return isDirection(value, traced)
    case 'addrtype.src-type':
      return isOfType('src', value.split(','), traced)
    case 'addrtype.dst-type':
      return isOfType('dst', value.split(','), traced)
    case 'multiport.sports':
      return inPorts(traced.source.port, value)
    case 'multiport.dports':
      return inPorts(traced.dport, value)
    case 'multiport.ports':
      return either(inPorts(traced.source.port, value), inPorts(traced.dport, value))
    case 'tcp.tcp-flags':
      return hasFlags(value, second, traced)
    case 'icmp.icmp-type':
    case 'icmp6.icmpv6-type':
      return isIcmp(value, traced)
    case 'iprange.src-range':
      return between(traced.source.address, value)
    case 'iprange.dst-range':
      return between(traced.dst, value)
    case 'mac.mac-source':
      return packet.mac === undefined ? undefined : packet.mac.toLowerCase() === value
    case 'pkttype.pkt-type':
      return isPacketType(value, traced)
    case 'socket.restore-skmark':
      // Makes the packet's mark unknown: this option copies the socket's mark, and the trace does not know that mark.
      if (packet.socket !== 'none') traced.mark = undefined
      return hasSocket('any', traced)
    case 'socket.':
    case 'socket.nowildcard':
      return hasSocket('any', traced)
    case 'socket.transparent':
      return hasSocket('transparent', traced)
    case 'set.match-set':
      return inSet(value, second, traced)
    case 'limit.limit':
      return traced.options.limit === undefined ? undefined : traced.options.limit === 'within'
    case 'limit.limit-burst':
    case 'statistic.mode':
    case 'statistic.packet':
      return true
    case 'statistic.probability':
    case 'statistic.every':
      return picked(option, Number(value), traced)
    default:
  }
  if (!portProtocols.has(module)) return undefined
  if (option === 'sport') return inPorts(traced.source.port, value)
  return option === 'dport' ? inPorts(traced.dport, value) : undefined
}

const protocolModules: ReadonlySet<string> = new Set(['tcp', 'udp', 'udplite', 'sctp', 'dccp', 'icmp', 'icmp6'])

const portProtocols: ReadonlySet<string> = new Set(['tcp', 'udp', 'udplite', 'sctp', 'dccp'])

const either = (a: boolean | undefined, b: boolean | undefined): boolean | undefined =>
  a === true || b === true ? true : a === undefined || b === undefined ? undefined : false

/** Replaces IPv6 addresses in canonical form (16 bytes with dots between them) by the usual spelling. */
const written = (value: string): string =>
  value.replace(/\d+(?:\.\d+){15}/g, (bytes) => formatAddress(Uint8Array.from(bytes.split('.'), Number)))

function between(address: string | undefined, range: string): boolean | undefined {
  const [low = '', high = low] = range.split('-')
  return inRange(address, low, high)
}

/** Decides whether a `statistic` condition selects the packet: always, never, or as the caller of `trace` says. */
function picked(option: string, value: number, { options }: TracedPacket): boolean | undefined {
  if (value === 1) return true
  if (option === 'probability' && value === 0) return false
  return options.statistic === undefined ? undefined : options.statistic === 'hit'
}

/** True if an address is in a network. The network is written as decimal bytes. */
function inNetwork(address: string | undefined, network: string): boolean | undefined {
  const [text = '', length] = network.split('/')
  const bytes = text.split('.').map(Number)
  if (address === undefined || !/^\d+$/.test(length ?? '')) return undefined
  const given = addressBytes(address)
  if (bytes.length !== given.length || bytes.some(Number.isNaN)) return undefined
  return bytes.every((byte, i) => {
    const bits = Math.min(8, Math.max(0, Number(length) - i * 8))
    return ((byte ^ (given[i] ?? 0)) & (0xff00 >> bits) & 0xff) === 0
  })
}

function isInterface(name: string | undefined, pattern: string): boolean | undefined {
  if (name === undefined) return undefined
  return pattern.endsWith('+') ? name.startsWith(pattern.slice(0, -1)) : name === pattern
}

function owns(id: number | undefined, owner: string, { from }: TracedPacket): boolean | undefined {
  if (from !== 'local') return false
  const [low, high] = bounds(owner, '-')
  return id === undefined || low === undefined || high === undefined ? undefined : id >= low && id <= high
}

function hasMark(mark: number | undefined, text: string): boolean | undefined {
  const [value, mask] = text.split('/').map(Number)
  if (mark === undefined || value === undefined || mask === undefined) return undefined
  return Number.isNaN(value + mask) ? undefined : (mark & mask) >>> 0 === value
}

function inState(states: readonly string[], traced: TracedPacket): boolean | undefined {
  const known = states.includes(stateOf(traced))
  if (known || !hasConnection(traced)) return known
  // The kernel decides source NAT only in the last chain that the packet passes.
  const first = traced.packet.state === undefined || traced.packet.state === 'NEW'
  const snat = states.includes('SNAT') ? (first && traced.packet.in !== 'lo' ? false : undefined) : false
  return either(states.includes('DNAT') ? traced.dnat : false, snat)
}

function inPorts(port: number | undefined, text: string): boolean | undefined {
  if (port === undefined) return undefined
  let unknown = false
  for (const part of text.split(',')) {
    const [low, high] = bounds(part, ':')
    if (low === undefined || high === undefined) unknown = true
    else if (port >= low && port <= high) return true
  }
  return unknown ? undefined : false
}

/** Parses a range `a` or `a<sep>b`. Empty if an end is not a number. */
function bounds(text: string, separator: string): [number?, number?] {
  const [low = '', high = low] = text.split(separator)
  return /^\d+$/.test(low) && /^\d+$/.test(high) ? [Number(low), Number(high)] : []
}
