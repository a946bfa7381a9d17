import { addressBytes, directionOf, familyOf, type Packet, plainAddress } from '@cni/types/packet'
import type { Hook } from '../wire/family.ts'
import type { TraceOptions } from './trace-types.ts'

/** State of a traced packet on its way through the netfilter hooks. `undefined` means unknown. */
export interface TracedPacket {
  readonly packet: Packet
  readonly family: 'ip' | 'ip6'
  readonly from: ReturnType<typeof directionOf>
  readonly options: TraceOptions
  hook: Hook
  destination: string | undefined
  dport: number | undefined
  /** Current source of the traced packet. An unknown address or port is missing. */
  source: { readonly address?: string; readonly port?: number }
  /** Interfaces that rules see at the current hook. `''` if the hook has no such interface. */
  in: string | undefined
  out: string | undefined
  mark: number | undefined
  connmark: number | undefined
  /** Conntrack state. `before`: conntrack has not seen the packet. `template`: an earlier rule has set a zone. */
  tracking: 'before' | 'template' | 'done' | 'untracked'
  zone: number | undefined
  rewritten: 'redirect' | 'dnat' | undefined
  tproxy: { readonly address?: string; readonly port: number } | undefined
}

/** State of a traced packet at its first hook. Throws `PacketError`. */
export function startTrace(packet: Packet, options: TraceOptions): TracedPacket {
  const from = directionOf(packet)
  const isFirst = (packet.state ?? 'NEW') === 'NEW' && packet.in !== 'lo'
  const traced: TracedPacket = {
    ...{ packet, from, options, in: packet.in ?? '', out: '' },
    family: familyOf(packet) === 'ipv4' ? 'ip' : 'ip6',
    hook: from === 'local' ? 'output' : 'prerouting',
    destination: plainAddress(packet.dst),
    dport: packet.dport,
    source: {
      ...(packet.src === undefined ? {} : { address: plainAddress(packet.src) }),
      ...(packet.sport === undefined ? {} : { port: packet.sport }),
    },
    mark: packet.mark ?? 0,
    connmark: packet.connmark ?? (isFirst ? 0 : undefined),
    tracking: firstTracking(packet),
    ...{ zone: undefined, rewritten: undefined, tproxy: undefined },
  }
  if (from === 'local') traced.out = packet.out ?? routeOut(traced)
  return traced
}

/** Conntrack state at the first hook. A packet on `lo` got its connection when it was sent. */
function firstTracking({ in: from, state }: Packet): TracedPacket['tracking'] {
  if (from !== 'lo' || state === 'INVALID') return 'before'
  return state === 'UNTRACKED' ? 'untracked' : 'done'
}

/** Records that the traced packet has passed conntrack. */
export function track(traced: TracedPacket): void {
  if (traced.tracking !== 'untracked') traced.tracking = traced.packet.state === 'UNTRACKED' ? 'untracked' : 'done'
}

/** Connection state (`ct state`) that rules see for the traced packet at the current hook. */
export function stateOf({
  tracking,
  packet,
}: TracedPacket): 'NEW' | 'ESTABLISHED' | 'RELATED' | 'INVALID' | 'UNTRACKED' {
  if (tracking === 'untracked') return 'UNTRACKED'
  if (tracking === 'before') return 'INVALID'
  return tracking === 'template' ? 'NEW' : (packet.state ?? 'NEW')
}

/** True if the traced packet has a connection. Rules can read and write the mark of such a connection. */
export const hasConnection = (traced: TracedPacket): boolean => !['INVALID', 'UNTRACKED'].includes(stateOf(traced))

/** True if an address belongs to the traced machine. `undefined` if the trace's caller listed no local addresses. */
export function isLocal(address: string | undefined, { packet }: TracedPacket): boolean | undefined {
  if (address === undefined) return undefined
  return isLoopback(address) || packet.local?.some((each) => plainAddress(each) === address)
}

/** True for loopback addresses: 127.0.0.0/8 and ::1. */
export const isLoopback = (address: string): boolean =>
  address === '::1' || (!address.includes(':') && addressBytes(address)[0] === 127)

/** Interface on which the packet leaves, known only for local destinations (`lo`). */
export const routeOut = (traced: TracedPacket): string | undefined =>
  isLocal(traced.destination, traced) === true ? 'lo' : undefined
