import type { Packet } from '@cni/types/packet'
import type { Family } from '../model.ts'
import type { RuleWords } from '../rule-words.ts'
import type { AddressOf } from './scope.ts'

/** Conditions of a rule that `.not` can negate. */
export interface Conditions<Next, S extends Family | 'both', Spoken = Next> {
  /** `-p`: the packet's IP protocol. */
  proto(protocol: RuleWords['protocol']): Spoken
  /** `-s`: source address or network. */
  src(address: AddressOf<S>): Next
  /** `-d`: destination address or network. */
  dst(address: AddressOf<S>): Next
  /** `--sport`: source port or range. Needs `proto(…)` with a port-based protocol before it. */
  sport(ports: RuleWords['ports']): Next
  /** `--dport`: destination port or range. Needs `proto(…)` with a port-based protocol before it. */
  dport(ports: RuleWords['ports']): Next
  /** `-m multiport --sports`: the source port is in a list of up to 15 ports (a range counts twice). */
  sports(...ports: readonly RuleWords['ports'][]): Next
  /** `-m multiport --dports`: the destination port is in a list of up to 15 ports (a range counts twice). */
  dports(...ports: readonly RuleWords['ports'][]): Next
  /** `--tcp-flags`: among the TCP flags in `mask`, exactly those in `set` are set. Needs `proto('tcp')` before it. */
  tcpFlags(mask: NonNullable<Packet['tcpFlags']> | 'ALL', set: NonNullable<Packet['tcpFlags']> | 'ALL' | 'NONE'): Next
  /** `--syn`: matches the first packet of a TCP connection. Needs `proto('tcp')` before it. */
  syn(): Next
  /** `-m conntrack --ctstate`: the connection is in one of these states. */
  ctstate(...states: readonly RuleWords['ctState'][]): Next
  /** `-m state --state`: the connection is in one of these states. Older form of `ctstate`. */
  state(...states: readonly Exclude<RuleWords['ctState'], 'SNAT' | 'DNAT'>[]): Next
  /** `-m mark --mark`: the packet has this mark. */
  mark(value: number, mask?: number): Next
  /** `-m connmark --mark`: the packet's connection has this mark. */
  connmark(value: number, mask?: number): Next
  /** `-m addrtype --src-type`: type of the source address, such as LOCAL. IPv6 has no BROADCAST and no BLACKHOLE. */
  srcType(
    ...types: readonly Exclude<RuleWords['addrType'], S extends 'ipv4' ? never : 'BROADCAST' | 'BLACKHOLE'>[]
  ): Next
  /**
   * `-m addrtype --dst-type`: type of the destination address, such as LOCAL. IPv6 has no BROADCAST and no BLACKHOLE.
   */
  dstType(
    ...types: readonly Exclude<RuleWords['addrType'], S extends 'ipv4' ? never : 'BROADCAST' | 'BLACKHOLE'>[]
  ): Next
  /** `-m iprange --src-range`: the source address is in a range such as `10.0.0.1-10.0.0.9`. */
  srcRange(range: AddressOf<S>): Next
  /** `-m iprange --dst-range`: the destination address is in a range such as `10.0.0.1-10.0.0.9`. */
  dstRange(range: AddressOf<S>): Next
  /** `-m set --match-set`: the packet's address or port is in an ipset. A rule for both families needs two sets. */
  set(name: AddressOf<S>, ...dirs: readonly RuleWords['setDir'][]): Next
  /** `-m pkttype --pkt-type`: type of the packet on the link layer. */
  pktType(type: NonNullable<Packet['packetType']>): Next
  /** `-m statistic`: selects some of the packets, at random or every nth. */
  statistic(
    options:
      | { readonly probability: number }
      | {
          readonly every: number
          /**
           * Option of `statistic` in nth mode: position of the matching packet in each round of `every` packets, from
           * 0.
           */
          readonly packet?: number
        },
  ): Next
  /** `--icmp-type`: the packet has this ICMP type. Needs `proto('icmp')` before it. */
  icmpType(type: RuleWords['icmpType']): Next
  /** `--icmpv6-type`: the packet has this ICMPv6 type. Needs `proto('icmpv6')` before it. */
  icmpv6Type(type: RuleWords['icmpv6Type']): Next
  /** `-i`: incoming interface; a trailing `+` is a wildcard. */
  in(name: string): Next
  /** `-m mac --mac-source`: the sender's Ethernet address. */
  mac(address: string): Next
  /** `-o`: outgoing interface; a trailing `+` is a wildcard. */
  out(name: string): Next
  /** `-m owner --uid-owner`: the user that owns the sending socket: a number, a range `1000-2000`, or a name. */
  uid(owner: number | string): Next
  /** `-m owner --gid-owner`: the group that owns the sending socket. A second call adds a second condition. */
  gid(owner: number | string): Next
  /** `-m owner --socket-exists`: the packet belongs to a local socket. */
  socketExists(): Next
}
