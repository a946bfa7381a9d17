import {
  addressBytes,
  checkProtocol,
  type Direction,
  directionOf,
  familyOf,
  type Packet,
  plainAddress,
} from '@cni/types/packet'
import type { Family, Table } from '../rules/model.ts'
import type { TraceOptions } from './options.ts'

/** A hook of the kernel. */
export type Hook = 'PREROUTING' | 'INPUT' | 'FORWARD' | 'OUTPUT' | 'POSTROUTING'

/** The packet on its way; `undefined` is "not known". */
export interface Flight {
  readonly packet: Packet
  readonly family: Family
  readonly from: Direction
  readonly options: TraceOptions
  /** Where it is now. */
  hook: Hook
  table: Table
  dst: string | undefined
  dport: number | undefined
  /** Of the hook that is running; `''` where it has none. */
  in: string | undefined
  out: string | undefined
  mark: number | undefined
  connmark: number | undefined
  /** Before conntrack there is no state; a zone leaves a template instead. */
  tracking: 'before' | 'template' | 'done' | 'untracked'
  /** Whether this connection's destination was changed. */
  dnat: boolean | undefined
  zone: number | undefined
  /** Whose members are no longer those that the caller gave. */
  readonly changedSets: Set<string>
  rewritten: 'REDIRECT' | 'DNAT' | undefined
  /** As it is now; a part that is not known is missing. */
  source: { readonly address?: string; readonly port?: number }
  tproxy: { address?: string; port: number } | undefined
}

/** The start of a packet's way. */
export function takeOff(packet: Packet, options: TraceOptions = {}): Flight {
  checkProtocol(packet.protocol)
  const from = directionOf(packet)
  const first = (packet.state ?? 'NEW') === 'NEW'
  const flight: Flight = {
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
    tracking: startOf(packet),
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
  if (from === 'local') flight.out = packet.out ?? routeOut(flight)
  return flight
}

/** A packet on lo still has the connection that it got on its way out; an invalid one got none. */
function startOf({ in: from, state }: Packet): Flight['tracking'] {
  if (from !== 'lo' || state === 'INVALID') return 'before'
  return state === 'UNTRACKED' ? 'untracked' : 'done'
}

/** What conntrack says of it here. */
export function stateOf({ tracking, packet }: Flight): string {
  if (tracking === 'untracked') return 'UNTRACKED'
  if (tracking === 'before') return 'INVALID'
  if (tracking === 'template') return 'NEW'
  return packet.state ?? 'NEW'
}

/** Whether there is a connection whose mark can be read and written. */
export const hasConnection = (flight: Flight): boolean => !['INVALID', 'UNTRACKED'].includes(stateOf(flight))

/** Whether an address is of this machine; `undefined` when the caller did not say. */
export function isLocal(address: string | undefined, { packet }: Flight): boolean | undefined {
  if (address === undefined) return undefined
  if (isLoopback(address)) return true
  return packet.local?.some((each) => plainAddress(each) === address)
}

/** 127.0.0.0/8 or ::1. */
export const isLoopback = (address: string): boolean =>
  address === '::1' || (!address.includes(':') && addressBytes(address)[0] === 127)

/** The interface towards a destination of this machine; others depend on routes that we do not have. */
export const routeOut = (flight: Flight): string | undefined =>
  isLocal(flight.dst, flight) === true ? 'lo' : undefined
