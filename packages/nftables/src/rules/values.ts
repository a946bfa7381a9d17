/** What each thing that a rule can look at holds. Numbers are unsigned; addresses are texts, with `/length` a network. */
export interface SelectorValues {
  /** A name, whatever characters it has (`eth*` is one of four characters), or all whose name begins so. */
  readonly iifname: string | { readonly prefix: string }
  readonly oifname: SelectorValues['iifname']
  readonly nfproto: 'ipv4' | 'ipv6'
  /** A protocol above IP: nft's word where there is one here, else its number. The word for 58 is that of `meta l4proto`. */
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
  /** Any of these. */
  readonly 'tcp flags': readonly ('fin' | 'syn' | 'rst' | 'psh' | 'ack' | 'urg' | 'ecn' | 'cwr')[]
  readonly 'udp sport': number
  readonly 'udp dport': number
  /** Of whatever protocol has ports there. */
  readonly 'th sport': number
  readonly 'th dport': number
  readonly 'icmp type': number
  readonly 'icmpv6 type': number
  /** Any of these states. */
  readonly 'ct state': readonly ('invalid' | 'established' | 'related' | 'new' | 'untracked')[]
  readonly 'ct mark': number
  readonly 'ct direction': 'original' | 'reply'
  /** Any of these bits. */
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
  /** 1: of an open socket that may answer for any address. */
  readonly 'socket transparent': 0 | 1
  readonly 'socket wildcard': 0 | 1
  readonly 'socket mark': number
}

/** What a rule can look at, in nft's words. */
export type Selector = keyof SelectorValues

/** From the one to the other, both included. */
export interface Range<T> {
  readonly from: T
  readonly to: T
}

/** Compared after `mask` has been anded. */
export interface Masked<T> {
  readonly value: T
  readonly mask: T
}

/** An element of a set, or the key of a map's. */
export type Key<T = SelectorValues[Selector]> = T | Range<T>

/** What something is compared with: a value, a range, one of several, or what a named set of the table holds. */
export type Operand<T = SelectorValues[Selector]> =
  | T
  | Range<T>
  | { readonly value: T; readonly mask: T }
  | { readonly set: readonly Key<T>[] }
  | { readonly named: string }

/** nft's words for what a set or map holds. */
export type SetType = 'ipv4_addr' | 'ipv6_addr' | 'inet_proto' | 'inet_service' | 'ifname' | 'mark' | 'uid' | 'gid'

export type Protocol = SelectorValues['l4proto']
export type CtState = SelectorValues['ct state'][number]
export type CtStatus = SelectorValues['ct status'][number]
export type TcpFlag = SelectorValues['tcp flags'][number]
export type AddrType = SelectorValues['fib saddr type']
