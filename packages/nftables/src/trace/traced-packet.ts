import { addressBytes, directionOf, familyOf, type Packet, plainAddress } from '@cni/types/packet'
import type { Hook } from '../wire/family.ts'
import type { TraceOptions } from './trace-types.ts'

/** A packet on its way through the hooks, as it is now; `undefined` is "not known". */
export interface TracedPacket {
  readonly packet: Packet
  readonly family: 'ip' | 'ip6'
  readonly from: ReturnType<typeof directionOf>
  readonly options: TraceOptions
  hook: Hook
  destination: string | undefined
  dport: number | undefined
  /** A part that is not known is missing. */
  source: { readonly address?: string; readonly port?: number }
  /** Interfaces as this hook shows them; `''` where it shows none. */
  in: string | undefined
  out: string | undefined
  mark: number | undefined
  connmark: number | undefined
  /** `before` conntrack there is no state; a rule that sets a zone leaves a `template`. */
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

/** What came over lo has the connection that it got on its way out; an invalid one has none. */
function firstTracking({ in: from, state }: Packet): TracedPacket['tracking'] {
  if (from !== 'lo' || state === 'INVALID') return 'before'
  return state === 'UNTRACKED' ? 'untracked' : 'done'
}

/** The packet has passed conntrack. */
export function track(traced: TracedPacket): void {
  if (traced.tracking !== 'untracked') traced.tracking = traced.packet.state === 'UNTRACKED' ? 'untracked' : 'done'
}

/** The state of its connection that a rule sees here. */
export function stateOf({
  tracking,
  packet,
}: TracedPacket): 'NEW' | 'ESTABLISHED' | 'RELATED' | 'INVALID' | 'UNTRACKED' {
  if (tracking === 'untracked') return 'UNTRACKED'
  if (tracking === 'before') return 'INVALID'
  return tracking === 'template' ? 'NEW' : (packet.state ?? 'NEW')
}

/** Whether it has a connection, whose mark rules can read and write. */
export const hasConnection = (traced: TracedPacket): boolean => !['INVALID', 'UNTRACKED'].includes(stateOf(traced))

/** Whether an address belongs to this machine; `undefined` when the caller did not say. */
export function isLocal(address: string | undefined, { packet }: TracedPacket): boolean | undefined {
  if (address === undefined) return undefined
  return isLoopback(address) || packet.local?.some((each) => plainAddress(each) === address)
}

/** 127.0.0.0/8 or ::1. */
export const isLoopback = (address: string): boolean =>
  address === '::1' || (!address.includes(':') && addressBytes(address)[0] === 127)

/** The outgoing interface, known for destinations on this machine only: others depend on routes. */
export const routeOut = (traced: TracedPacket): string | undefined =>
  isLocal(traced.destination, traced) === true ? 'lo' : undefined
