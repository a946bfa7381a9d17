import type { Family, Table } from '../rules/model.ts'
import { addressBytes, type Direction, directionOf, familyOf, type Packet, plainAddress } from './packet.ts'

/** A hook of the kernel. */
export type Hook = 'PREROUTING' | 'INPUT' | 'FORWARD' | 'OUTPUT' | 'POSTROUTING'

/** The packet on its way; `undefined` is "not known". */
export interface Flight {
  readonly packet: Packet
  readonly family: Family
  readonly from: Direction
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
  rewritten: 'REDIRECT' | 'DNAT' | undefined
  tproxy: { address?: string; port: number } | undefined
}

/** The start of a packet's way. */
export function takeOff(packet: Packet): Flight {
  const from = directionOf(packet)
  const first = (packet.state ?? 'NEW') === 'NEW'
  const flight: Flight = {
    packet,
    family: familyOf(packet),
    from,
    hook: from === 'local' ? 'OUTPUT' : 'PREROUTING',
    table: 'raw',
    dst: plainAddress(packet.dst),
    dport: packet.dport,
    in: packet.in ?? '',
    out: '',
    mark: packet.mark ?? 0,
    connmark: packet.connmark ?? (first && packet.in !== 'lo' ? 0 : undefined),
    // A packet on lo still has the connection that it got on its way out.
    tracking: packet.state === 'UNTRACKED' && packet.in === 'lo' ? 'untracked' : packet.in === 'lo' ? 'done' : 'before',
    dnat: first && packet.in !== 'lo' ? false : undefined,
    zone: undefined,
    rewritten: undefined,
    tproxy: undefined,
  }
  if (from === 'local') flight.out = packet.out ?? routeOut(flight)
  return flight
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
