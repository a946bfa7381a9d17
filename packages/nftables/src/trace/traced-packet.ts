import { addressBytes, directionOf, familyOf, type Packet, plainAddress } from '@cni/types/packet'
import type { Hook } from '../wire/family.ts'
import type { TraceOptions } from './trace-types.ts'

/** State of a packet on its way through the hooks. `undefined` means unknown. */
export interface TracedPacket {
  readonly packet: Packet
  readonly family: 'ip' | 'ip6'
  readonly from: ReturnType<typeof directionOf>
  readonly options: TraceOptions
  hook: Hook
  destination: string | undefined
  dport: number | undefined
  /** Source of the packet. Unknown parts are missing. */
  source: { readonly address?: string; readonly port?: number }
  /** Interfaces that this hook reports; `''` if it reports none. */
  in: string | undefined
  out: string | undefined
  mark: number | undefined
  connmark: number | undefined
  /** Connection tracking. Before conntrack there is no state. A rule that sets a zone creates a `template`. */
  tracking: 'before' | 'template' | 'done' | 'untracked'
  zone: number | undefined
  rewritten: 'redirect' | 'dnat' | undefined
  tproxy: { readonly address?: string; readonly port: number } | undefined
}

/** The packet at its first hook. Throws `PacketError`. */
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

/** A packet on `lo` got its connection on its way out. An invalid packet has no connection. */
function firstTracking({ in: from, state }: Packet): TracedPacket['tracking'] {
  if (from !== 'lo' || state === 'INVALID') return 'before'
  return state === 'UNTRACKED' ? 'untracked' : 'done'
}

/** Marks that the packet has passed conntrack. */
export function track(traced: TracedPacket): void {
  if (traced.tracking !== 'untracked') traced.tracking = traced.packet.state === 'UNTRACKED' ? 'untracked' : 'done'
}

/** Connection state that rules see at this point. */
export function stateOf({
  tracking,
  packet,
}: TracedPacket): 'NEW' | 'ESTABLISHED' | 'RELATED' | 'INVALID' | 'UNTRACKED' {
  if (tracking === 'untracked') return 'UNTRACKED'
  if (tracking === 'before') return 'INVALID'
  return tracking === 'template' ? 'NEW' : (packet.state ?? 'NEW')
}

/** True if the packet has a connection whose mark rules can read and write. */
export const hasConnection = (traced: TracedPacket): boolean => !['INVALID', 'UNTRACKED'].includes(stateOf(traced))

/** True if an address belongs to this machine; `undefined` if the caller did not say so. */
export function isLocal(address: string | undefined, { packet }: TracedPacket): boolean | undefined {
  if (address === undefined) return undefined
  return isLoopback(address) || packet.local?.some((each) => plainAddress(each) === address)
}

/** True for 127.0.0.0/8 and ::1. */
export const isLoopback = (address: string): boolean =>
  address === '::1' || (!address.includes(':') && addressBytes(address)[0] === 127)

/** Outgoing interface. Known only for destinations on this machine: for others, it depends on routes. */
export const routeOut = (traced: TracedPacket): string | undefined =>
  isLocal(traced.destination, traced) === true ? 'lo' : undefined
