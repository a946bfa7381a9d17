import type { PacketType, TcpFlag } from '@cni/types/packet'
import type { IcmpType, Icmpv6Type } from '../icmp-types.ts'
import type { AddrType, CtState, SetDir } from '../model.ts'
import type { AddressOf, Scope } from './scope.ts'

/** A protocol by name, or by number (1–255). */
export type Protocol =
  | 'tcp'
  | 'udp'
  | 'udplite'
  | 'sctp'
  | 'dccp'
  | 'icmp'
  | 'icmpv6'
  | 'ipv6-icmp'
  | 'esp'
  | 'ah'
  | 'gre'
  | 'ipip'
  | number

/** A port, or a range written `1000:2000`. */
export type Ports = number | `${number}` | `${number}:${number}`

/** How often: `3/min`. The kernel rounds it to what it can count. */
export type Rate = `${number}/${'sec' | 'second' | 'min' | 'minute' | 'hour' | 'day'}`

/** The conditions that can be negated with `.not` and stand in every chain. */
export interface NegatableMatches<Next, S extends Scope, Spoken = Next> {
  /** `-p`: the protocol. */
  proto(protocol: Protocol): Spoken
  /** `-s`: source address or network. */
  src(address: AddressOf<S>): Next
  /** `-d`: destination address or network. */
  dst(address: AddressOf<S>): Next
  /** `--sport`: source port or range; needs a protocol with ports before it. */
  sport(ports: Ports): Next
  /** `--dport`: destination port or range; needs a protocol with ports before it. */
  dport(ports: Ports): Next
  /** `-m multiport --sports`: one of up to 15 ports (a range counts twice). */
  sports(...ports: readonly Ports[]): Next
  /** `-m multiport --dports`: one of up to 15 ports (a range counts twice). */
  dports(...ports: readonly Ports[]): Next
  /** `--tcp-flags`: of the flags in `mask` exactly those in `set` are set; needs `proto('tcp')` before it. */
  tcpFlags(mask: readonly TcpFlag[] | 'ALL', set: readonly TcpFlag[] | 'ALL' | 'NONE'): Next
  /** `--syn`: the first packet of a TCP connection; needs `proto('tcp')` before it. */
  syn(): Next
  /** `-m conntrack --ctstate`: any of these states. */
  ctstate(...states: readonly CtState[]): Next
  /** `-m state --state`: the older form of `ctstate`. */
  state(...states: readonly Exclude<CtState, 'SNAT' | 'DNAT'>[]): Next
  /** `-m mark --mark`: the packet's mark. */
  mark(value: number, mask?: number): Next
  /** `-m connmark --mark`: the connection's mark. */
  connmark(value: number, mask?: number): Next
  /** `-m addrtype --src-type`: kind of the source address. */
  srcType(...types: readonly AddrTypeOf<S>[]): Next
  /** `-m addrtype --dst-type`: kind of the destination address. */
  dstType(...types: readonly AddrTypeOf<S>[]): Next
  /** `-m iprange --src-range`: source address in `10.0.0.1-10.0.0.9`. */
  srcRange(range: AddressOf<S>): Next
  /** `-m iprange --dst-range`: destination address in `10.0.0.1-10.0.0.9`. */
  dstRange(range: AddressOf<S>): Next
  /** `-m set --match-set`: in an ipset. A set is of one family, so a rule for both needs two. */
  set(name: AddressOf<S>, ...dirs: readonly SetDir[]): Next
  /** `-m pkttype --pkt-type`: how the packet came on the link. */
  pktType(type: PacketType): Next
  /** `-m statistic`: some of the packets, at random or every nth. */
  statistic(
    options:
      | { readonly probability: number }
      | {
          readonly every: number
          /** Which one of them, from 0. */
          readonly packet?: number
        },
  ): Next
}

/** Kinds of addresses that the kernel tells apart in the families of `S`. */
export type AddrTypeOf<S extends Scope> = S extends 'ipv4' ? AddrType : Exclude<AddrType, 'BROADCAST' | 'BLACKHOLE'>

/** Packets of ICMP. */
export interface IcmpMatches<Next> {
  /** `--icmp-type`; needs `proto('icmp')` before it. */
  icmpType(type: IcmpType): Next
}

/** Packets of ICMPv6. */
export interface Icmpv6Matches<Next> {
  /** `--icmpv6-type`; needs `proto('icmpv6')` before it. */
  icmpv6Type(type: Icmpv6Type): Next
}

/** Packets that came from an interface. */
export interface IncomingMatches<Next> {
  /** `-i`: incoming interface; a trailing `+` is a wildcard. */
  in(name: string): Next
  /** `-m mac --mac-source`: the sender's Ethernet address. */
  mac(address: string): Next
}

/** Packets that leave by an interface. */
export interface OutgoingMatches<Next> {
  /** `-o`: outgoing interface; a trailing `+` is a wildcard. */
  out(name: string): Next
}

/** Packets of a local socket. */
export interface OwnerMatches<Next> {
  /** `-m owner --uid-owner`: the user that owns the sending socket: a number, a range `1000-2000`, or a name. */
  uid(owner: number | string): Next
  /** `-m owner --gid-owner`: the group that owns the sending socket. Call it several times for several conditions. */
  gid(owner: number | string): Next
  /** `-m owner --socket-exists`: the packet belongs to a local socket. */
  socketExists(): Next
}
