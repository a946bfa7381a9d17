/**
 * Type of the values with which a rule compares each selector. Numbers are unsigned. Addresses are strings; a string
 * with `/length` is a network.
 */
export interface SelectorValues {
  /** Literal interface name (`eth*` is a name of four characters), or a prefix of names. */
  readonly iifname: string | { readonly prefix: string }
  readonly oifname: SelectorValues['iifname']
  readonly nfproto: 'ipv4' | 'ipv6'
  /**
   * Transport protocol: a listed word, or a number for any other protocol. Protocol 58 is `ipv6-icmp`, as nft prints
   * it.
   */
  readonly l4proto: 'icmp' | 'tcp' | 'udp' | 'esp' | 'ah' | 'ipv6-icmp' | 'comp' | 'dccp' | 'sctp' | 'udplite' | number
  readonly mark: number
  readonly skuid: number
  readonly skgid: number
  readonly pkttype: 'host' | 'broadcast' | 'multicast' | 'other'
  readonly 'ip protocol': SelectorValues['l4proto']
  readonly 'ip saddr': string
  readonly 'ip daddr': string
  readonly 'ip6 nexthdr': SelectorValues['l4proto']
  readonly 'ip6 saddr': string
  readonly 'ip6 daddr': string
  readonly 'tcp sport': number
  readonly 'tcp dport': number
  /** TCP flags. A list of flags matches packets with any of the flags. */
  readonly 'tcp flags': readonly ('fin' | 'syn' | 'rst' | 'psh' | 'ack' | 'urg' | 'ecn' | 'cwr')[]
  readonly 'udp sport': number
  readonly 'udp dport': number
  /** Source port of any transport protocol (`th`). */
  readonly 'th sport': number
  readonly 'th dport': number
  readonly 'icmp type': number
  readonly 'icmpv6 type': number
  /** Connection states. A list of states matches packets in any of the states. */
  readonly 'ct state': readonly ('invalid' | 'established' | 'related' | 'new' | 'untracked')[]
  readonly 'ct mark': number
  readonly 'ct direction': 'original' | 'reply'
  /** Status bits of a connection. A list of bits matches packets with any of the bits. */
  readonly 'ct status': readonly ('expected' | 'seen-reply' | 'assured' | 'confirmed' | 'snat' | 'dnat' | 'dying')[]
  /** Type of the packet's source or destination address in the routing table, such as `local`. */
  readonly 'fib saddr type':
    | 'unspec'
    | 'unicast'
    | 'local'
    | 'broadcast'
    | 'anycast'
    | 'multicast'
    | 'blackhole'
    | 'unreachable'
    | 'prohibit'
  readonly 'fib daddr type': SelectorValues['fib saddr type']
  /** Value 1 if the packet has an open socket with the option `IP_TRANSPARENT`. */
  readonly 'socket transparent': 0 | 1
  readonly 'socket wildcard': 0 | 1
  readonly 'socket mark': number
}

/** Selector: property of a packet that a rule can compare, in nft's words, such as `tcp dport`. */
export type Selector = keyof SelectorValues

/** Range of values. Both bounds are included. */
export interface Range<T> {
  readonly from: T
  readonly to: T
}

/** Operand of a masked comparison: the packet's property is compared with `value` after a bitwise AND with `mask`. */
export interface Masked<T> {
  readonly value: T
  readonly mask: T
}

/** Key of a set or map element: a single value or a range. */
export type Key<T = SelectorValues[Selector]> = T | Range<T>

/** Operand of a condition: a value, a range, a masked value or a set. */
export type Operand<T = SelectorValues[Selector]> =
  | T
  | Range<T>
  | { readonly value: T; readonly mask: T }
  | { readonly set: readonly Key<T>[] }
  | { readonly named: string }

/** Data types that nft allows for keys of sets and maps, and for data of maps. */
export type SetType = 'ipv4_addr' | 'ipv6_addr' | 'inet_proto' | 'inet_service' | 'ifname' | 'mark' | 'uid' | 'gid'

export type Protocol = SelectorValues['l4proto']
export type CtState = SelectorValues['ct state'][number]
export type CtStatus = SelectorValues['ct status'][number]
export type TcpFlag = SelectorValues['tcp flags'][number]
export type AddrType = SelectorValues['fib saddr type']
