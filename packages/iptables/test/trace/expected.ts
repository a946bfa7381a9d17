import type { Packet } from '@cni/types/packet'
import type { SavedTables } from '../../src/parse/saved-tables.ts'
import type { TraceOptions } from '../../src/trace/options.ts'
import { trace } from '../../src/trace/trace.ts'
import type { Trace } from '../../src/trace/trace-types.ts'
import { addresses, arrival, ports, tproxyPort } from './machine.ts'
import type { Drawn } from './random-packets.ts'

/** Test packet to send, the traces that the kernel should confirm, and the places where the packet should arrive. */
export interface Case {
  readonly id: number
  readonly packet: Packet
  readonly traces: readonly Trace[]
  readonly arrivals: readonly string[]
}

/** Test packets for one random packet. Empty if a trace is undecided. */
export function casesOf(
  rules: SavedTables,
  { packet, follow }: Drawn,
  options: TraceOptions,
  nextId: () => number,
): Case[] {
  const first = caseOf(rules, unique(packet, nextId(), follow), options)
  if (first === undefined) return []
  const [found] = first.traces
  // Skips rewritten packets: they share the source port 53, which the kernel may change.
  if (follow && packet.in === undefined && first.traces.some(({ rewritten }) => rewritten !== undefined)) return []
  if (!follow || found === undefined || !isPlain(first)) return [first]
  const untracked = isUntracked(found)
  const { src, sport, dst, dport, in: into, local = [] } = first.packet
  const back: Packet = {
    ...{ protocol: 'udp', dst: src ?? '', src: dst, local },
    ...(sport === undefined || dport === undefined ? {} : { sport: dport, dport: sport }),
    ...(into === undefined ? incoming : { out: 'veth0', uid: 1000, gid: 1337 }),
    ...(untracked ? {} : { state: 'ESTABLISHED' as const, connmark: found.connmark ?? 0 }),
  }
  const second = caseOf(rules, { id: nextId(), packet: back }, options)
  // An answer in another conntrack zone belongs to another connection.
  if (second === undefined || !isPlain(second)) return [first]
  const answer = second.traces[0]
  if (untracked || answer === undefined || isUntracked(answer)) return [first, second]
  const again: Packet = { ...first.packet, state: 'ESTABLISHED', connmark: answer.connmark ?? 0 }
  const third = caseOf(rules, { id: nextId(), packet: again }, options)
  return third === undefined || third.traces.some(({ zone }) => zone !== undefined)
    ? [first, second]
    : [first, second, third]
}

// internal

interface Numbered {
  readonly id: number
  readonly packet: Packet
}

const incoming = { in: 'veth0', mac: '02:00:00:00:00:09', packetType: 'unicast' } as const

/** Gives each test packet a unique port, because each packet needs its own connection. */
function unique(packet: Packet, id: number, follow: boolean): Numbered {
  const port = 10_000 + (id % 50_000)
  if (packet.protocol.startsWith('icmp')) return { id, packet }
  if (follow && packet.in === undefined) return { id, packet: { ...packet, sport: 53, dport: port } }
  return { id, packet: { ...packet, sport: port } }
}

function caseOf(rules: SavedTables, { id, packet }: Numbered, options: TraceOptions): Case | undefined {
  const first = trace(rules, packet, options)
  const back = loopedBack(rules, first, options)
  if (back === 'unknown') return undefined
  const traces = back === undefined ? [first] : [first, back]
  if (!traces.every(isDecided)) return undefined
  const last = traces.at(-1) ?? first
  // Skips packets that the kernel would answer, because the counters would include the answers.
  const answers =
    last.verdict === 'REJECT' || (last.verdict === 'ACCEPT' && packet.protocol !== 'udp' && endsHere(last))
  if (answers && addresses[rules.family].far !== last.source.address) return undefined
  const arrivals = arrivalsOf(rules, last)
  return arrivals === undefined ? undefined : { id, packet, traces, arrivals }
}

/** True if the trace knows the verdict and the match of each rule. */
const isDecided = ({ verdict, path }: Trace) =>
  verdict !== 'undecided' && path.every(({ matched }) => matched !== undefined)

const isUntracked = ({ path }: Trace) => path.some(({ rule, matched }) => matched === true && / --notrack$/.test(rule))

const isPlain = ({ traces }: Case) =>
  traces.every(
    ({ verdict, rewritten, tproxy, zone, source, packet }) =>
      verdict === 'ACCEPT' &&
      rewritten === undefined &&
      tproxy === undefined &&
      zone === undefined &&
      source.port === packet.sport,
  )

/** True if the tested machine itself receives the packet. */
function endsHere({ packet, destination: { address = '' }, tproxy }: Trace): boolean {
  return (
    tproxy !== undefined || address === '::1' || address.startsWith('127.') || packet.local?.includes(address) === true
  )
}

/** Traces a packet a second time if the tested machine sends the packet to itself. */
function loopedBack(rules: SavedTables, found: Trace, options: TraceOptions): Trace | undefined | 'unknown' {
  const { packet, verdict, destination, source, mark, connmark } = found
  if (packet.in !== undefined || verdict !== 'ACCEPT' || !endsHere(found)) return undefined
  // The packet's source is unknown after MASQUERADE, because the kernel chooses the interface whose address becomes the
  // source.
  if (source.address === undefined) return 'unknown'
  const { out: _out, uid: _uid, gid: _gid, mac: _mac, ...rest } = packet
  const again: Packet = {
    ...rest,
    ...{ in: 'lo', src: source.address, dst: destination.address ?? '' },
    ...(destination.port === undefined ? {} : { dport: destination.port }),
    ...(mark === undefined ? {} : { mark }),
    ...(connmark === undefined ? {} : { connmark }),
    ...(isUntracked(found) ? { state: 'UNTRACKED' as const } : {}),
  }
  return trace(rules, again, options)
}

function arrivalsOf({ family }: SavedTables, found: Trace): readonly string[] | undefined {
  const { packet, verdict, destination, source, tproxy } = found
  if (verdict !== 'ACCEPT') return []
  const { address, port } = destination
  if (address === undefined) return undefined
  const { dummy, veth, peer } = addresses[family]
  const ported = packet.sport !== undefined
  if (endsHere(found)) {
    if (packet.protocol !== 'udp') return []
    if (tproxy !== undefined) return [arrival('tproxy', source.address ?? '', packet.sport, '*', tproxyPort)]
    if (port === undefined || !ports.includes(port)) return undefined
    return [arrival('udp', source.address ?? '', packet.sport, address, port)]
  }
  const wire = address === peer ? 'veth0' : 'dum0'
  const from = source.address ?? (wire === 'veth0' ? veth : dummy)
  return [arrival(wire, from, ported ? packet.sport : undefined, address, ported ? port : undefined)]
}
