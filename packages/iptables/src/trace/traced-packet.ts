import { addressBytes, directionOf, familyOf, type Packet, plainAddress } from '@cni/types/packet'
import type { BuiltinChain, Family, Table } from '../rules/model.ts'
import type { TraceOptions } from './options.ts'

/** Current state of a packet on its path through the hooks. `undefined` means unknown. */
export interface TracedPacket {
  readonly packet: Packet
  readonly family: Family
  readonly from: ReturnType<typeof directionOf>
  readonly options: TraceOptions
  /** Current hook and table. */
  hook: BuiltinChain
  table: Table
  dst: string | undefined
  dport: number | undefined
  /** Interfaces at this hook; `''` if the hook has none. */
  in: string | undefined
  out: string | undefined
  mark: number | undefined
  connmark: number | undefined
  /** `before` conntrack there is no state. A rule that sets a zone creates a `template`. */
  tracking: 'before' | 'template' | 'done' | 'untracked'
  /** True if NAT changed the destination of the connection. */
  dnat: boolean | undefined
  zone: number | undefined
  /** Sets that a rule changed: the caller's entries are no longer valid. */
  readonly changedSets: Set<string>
  rewritten: 'REDIRECT' | 'DNAT' | undefined
  /** Missing parts are unknown. */
  source: { readonly address?: string; readonly port?: number }
  tproxy: { address?: string; port: number } | undefined
}

/** Creates the state of a packet at its first hook. */
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

/** A packet on lo keeps the connection from OUTPUT. An invalid packet has none. */
function initialTracking({ in: from, state }: Packet): TracedPacket['tracking'] {
  if (from !== 'lo' || state === 'INVALID') return 'before'
  return state === 'UNTRACKED' ? 'untracked' : 'done'
}

/** Conntrack state that a rule sees here. */
export function stateOf({ tracking, packet }: TracedPacket): string {
  if (tracking === 'untracked') return 'UNTRACKED'
  if (tracking === 'before') return 'INVALID'
  if (tracking === 'template') return 'NEW'
  return packet.state ?? 'NEW'
}

/** True if the packet has a connection, whose mark rules can read and write. */
export const hasConnection = (traced: TracedPacket): boolean => !['INVALID', 'UNTRACKED'].includes(stateOf(traced))

/** True if an address belongs to this machine; `undefined` if the caller did not say. */
export function isLocal(address: string | undefined, { packet }: TracedPacket): boolean | undefined {
  if (address === undefined) return undefined
  if (isLoopback(address)) return true
  return packet.local?.some((each) => plainAddress(each) === address)
}

/** True for 127.0.0.0/8 and ::1. */
export const isLoopback = (address: string): boolean =>
  address === '::1' || (!address.includes(':') && addressBytes(address)[0] === 127)

/** Outgoing interface. Known only for destinations on this machine: others depend on routes. */
export const routeOut = (traced: TracedPacket): string | undefined =>
  isLocal(traced.dst, traced) === true ? 'lo' : undefined
