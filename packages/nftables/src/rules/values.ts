/** Value types of the selectors. Numbers are unsigned. Addresses are strings; with `/length` they are networks. */
export interface SelectorValues {
  /** Interface name, taken literally (`eth*` is a name of four characters), or a prefix of names. */
  readonly iifname: string | { readonly prefix: string }
  readonly oifname: SelectorValues['iifname']
  readonly nfproto: 'ipv4' | 'ipv6'
  /** Protocol above IP: nft's word if it is listed here, else the number. 58 has the word of `meta l4proto`. */
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
  /** A list of flags matches packets with any of these flags. */
  readonly 'tcp flags': readonly ('fin' | 'syn' | 'rst' | 'psh' | 'ack' | 'urg' | 'ecn' | 'cwr')[]
  readonly 'udp sport': number
  readonly 'udp dport': number
  /** Ports of any transport protocol. */
  readonly 'th sport': number
  readonly 'th dport': number
  readonly 'icmp type': number
  readonly 'icmpv6 type': number
  /** A list of states matches packets in any of these states. */
  readonly 'ct state': readonly ('invalid' | 'established' | 'related' | 'new' | 'untracked')[]
  readonly 'ct mark': number
  readonly 'ct direction': 'original' | 'reply'
  /** A list of bits matches packets with any of these bits. */
  readonly 'ct status': readonly ('expected' | 'seen-reply' | 'assured' | 'confirmed' | 'snat' | 'dnat' | 'dying')[]
  /** Type of the address in the routing table. */
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
  /** 1 for an open socket with `IP_TRANSPARENT`. */
  readonly 'socket transparent': 0 | 1
  readonly 'socket wildcard': 0 | 1
  readonly 'socket mark': number
}

/** Selectors: the properties that a rule can look at, in nft's words. */
export type Selector = keyof SelectorValues

/** A range; both ends are included. */
export interface Range<T> {
  readonly from: T
  readonly to: T
}

/** Value that is compared after a bitwise AND with `mask`. */
export interface Masked<T> {
  readonly value: T
  readonly mask: T
}

/** Element of a set, or key of a map's element. */
export type Key<T = SelectorValues[Selector]> = T | Range<T>

/** Operand of a condition: a value, a range, a masked value, a list, or a named set of the table. */
export type Operand<T = SelectorValues[Selector]> =
  | T
  | Range<T>
  | { readonly value: T; readonly mask: T }
  | { readonly set: readonly Key<T>[] }
  | { readonly named: string }

/** nft's types of keys and data of sets and maps. */
export type SetType = 'ipv4_addr' | 'ipv6_addr' | 'inet_proto' | 'inet_service' | 'ifname' | 'mark' | 'uid' | 'gid'

export type Protocol = SelectorValues['l4proto']
export type CtState = SelectorValues['ct state'][number]
export type CtStatus = SelectorValues['ct status'][number]
export type TcpFlag = SelectorValues['tcp flags'][number]
export type AddrType = SelectorValues['fib saddr type']
