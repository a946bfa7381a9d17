import { addressBytes, directionOf, familyOf, type Packet, plainAddress } from '@cni/types/packet'
import type { BuiltinChain, Family, Table } from '../rules/model.ts'
import type { TraceOptions } from './options.ts'

/** A packet on its way through the hooks, as it is now; `undefined` is "not known". */
export interface TracedPacket {
  readonly packet: Packet
  readonly family: Family
  readonly from: ReturnType<typeof directionOf>
  readonly options: TraceOptions
  /** The hook and the table that see it now. */
  hook: BuiltinChain
  table: Table
  dst: string | undefined
  dport: number | undefined
  /** Interfaces as this hook shows them; `''` where it shows none. */
  in: string | undefined
  out: string | undefined
  mark: number | undefined
  connmark: number | undefined
  /** `before` conntrack there is no state; a rule that sets a zone leaves a `template`. */
  tracking: 'before' | 'template' | 'done' | 'untracked'
  /** Whether NAT changed the destination of the connection. */
  dnat: boolean | undefined
  zone: number | undefined
  /** Sets whose members a rule changed: what the caller said of them no longer holds. */
  readonly changedSets: Set<string>
  rewritten: 'REDIRECT' | 'DNAT' | undefined
  /** A part that is not known is missing. */
  source: { readonly address?: string; readonly port?: number }
  tproxy: { address?: string; port: number } | undefined
}

/** The packet at its first hook. */
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

/** A packet on lo keeps the connection that it got on its way out; an invalid one has none. */
function initialTracking({ in: from, state }: Packet): TracedPacket['tracking'] {
  if (from !== 'lo' || state === 'INVALID') return 'before'
  return state === 'UNTRACKED' ? 'untracked' : 'done'
}

/** The conntrack state that a rule sees here. */
export function stateOf({ tracking, packet }: TracedPacket): string {
  if (tracking === 'untracked') return 'UNTRACKED'
  if (tracking === 'before') return 'INVALID'
  if (tracking === 'template') return 'NEW'
  return packet.state ?? 'NEW'
}

/** Whether the packet has a connection, whose mark rules can read and write. */
export const hasConnection = (traced: TracedPacket): boolean => !['INVALID', 'UNTRACKED'].includes(stateOf(traced))

/** Whether an address belongs to this machine; `undefined` when the caller did not say. */
export function isLocal(address: string | undefined, { packet }: TracedPacket): boolean | undefined {
  if (address === undefined) return undefined
  if (isLoopback(address)) return true
  return packet.local?.some((each) => plainAddress(each) === address)
}

/** 127.0.0.0/8 or ::1. */
export const isLoopback = (address: string): boolean =>
  address === '::1' || (!address.includes(':') && addressBytes(address)[0] === 127)

/** The outgoing interface, known for destinations on this machine only: others depend on routes. */
export const routeOut = (traced: TracedPacket): string | undefined =>
  isLocal(traced.dst, traced) === true ? 'lo' : undefined
