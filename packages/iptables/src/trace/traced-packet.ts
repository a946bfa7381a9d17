import { addressBytes, directionOf, familyOf, type Packet, plainAddress } from '@cni/types/packet'
import type { BuiltinChain, Family, Table } from '../rules/model.ts'
import type { TraceOptions } from './options.ts'

/** Current state of a traced packet. `undefined` means unknown, but "none" in `zone`, `rewritten` and `tproxy`. */
export interface TracedPacket {
  readonly packet: Packet
  readonly family: Family
  readonly from: ReturnType<typeof directionOf>
  readonly options: TraceOptions
  /** Netfilter hook that the packet has reached; `table` is the table within that hook. */
  hook: BuiltinChain
  table: Table
  dst: string | undefined
  dport: number | undefined
  /** Incoming and outgoing interface of the packet at this hook; `''` if the packet has no interface there. */
  in: string | undefined
  out: string | undefined
  mark: number | undefined
  connmark: number | undefined
  /** Progress of connection tracking. `template`: a rule has set the zone, but conntrack has not run. */
  tracking: 'before' | 'template' | 'done' | 'untracked'
  /** True if NAT changed the destination of the packet's connection. */
  dnat: boolean | undefined
  zone: number | undefined
  /** Names of ipsets that a rule has changed: the caller's entries for these sets are no longer valid. */
  readonly changedSets: Set<string>
  rewritten: 'REDIRECT' | 'DNAT' | undefined
  /** Source of the packet after NAT. A missing address or port is unknown. */
  source: { readonly address?: string; readonly port?: number }
  tproxy: { address?: string; port: number } | undefined
}

/** Creates the state of a traced packet at its first hook. */
export function startTrace(packet: Packet, options: TraceOptions = {}): TracedPacket {
  const from = directionOf(packet)
  const first = (packet.state ?? 'NEW') === 'NEW'
  const traced: TracedPacket = {
    packet,
    family: familyOf(packet),
    from,
    options,
    hook: from === 'local' ? 'OUTPUT' : 'PREROUTING',
    table: 'raw',
    dst: plainAddress(packet.dst),
    dport: packet.dport,
    in: packet.in ?? '',
    out: '',
    mark: packet.mark ?? 0,
    connmark: packet.connmark ?? (first && packet.in !== 'lo' ? 0 : undefined),
    tracking: initialTracking(packet),
    dnat: first && packet.in !== 'lo' ? false : undefined,
    zone: undefined,
    changedSets: new Set(),
    rewritten: undefined,
    source: {
      ...(packet.src === undefined ? {} : { address: plainAddress(packet.src) }),
      ...(packet.sport === undefined ? {} : { port: packet.sport }),
    },
    tproxy: undefined,
  }
  if (from === 'local') traced.out = packet.out ?? routeOut(traced)
  return traced
}

/** A packet that arrives on lo already got its connection in OUTPUT. */
function initialTracking({ in: from, state }: Packet): TracedPacket['tracking'] {
  if (from !== 'lo' || state === 'INVALID') return 'before'
  return state === 'UNTRACKED' ? 'untracked' : 'done'
}

/** Conntrack state of the packet, as rules at the current hook see it. */
export function stateOf({ tracking, packet }: TracedPacket): string {
  if (tracking === 'untracked') return 'UNTRACKED'
  if (tracking === 'before') return 'INVALID'
  if (tracking === 'template') return 'NEW'
  return packet.state ?? 'NEW'
}

/** True if the packet has a connection. Only then can rules read and write a connection mark. */
export const hasConnection = (traced: TracedPacket): boolean => !['INVALID', 'UNTRACKED'].includes(stateOf(traced))

/** True if an address is local; `undefined` if the caller gave no local addresses. */
export function isLocal(address: string | undefined, { packet }: TracedPacket): boolean | undefined {
  if (address === undefined) return undefined
  if (isLoopback(address)) return true
  return packet.local?.some((each) => plainAddress(each) === address)
}

/** True for a loopback address: 127.0.0.0/8 or ::1. */
export const isLoopback = (address: string): boolean =>
  address === '::1' || (!address.includes(':') && addressBytes(address)[0] === 127)

/** Outgoing interface of the packet; `undefined` if it depends on routes. */
export const routeOut = (traced: TracedPacket): string | undefined =>
  isLocal(traced.dst, traced) === true ? 'lo' : undefined
