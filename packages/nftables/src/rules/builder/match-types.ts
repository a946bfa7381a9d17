import type { Key, Range, Selector, SelectorValues, SetType } from '../values.ts'
import type { Context, SetsOf } from './context.ts'

/** Which named sets something can be looked up in. */
export interface SetTypes {
  readonly iifname: 'ifname'
  readonly oifname: 'ifname'
  readonly l4proto: 'inet_proto'
  readonly 'ip protocol': 'inet_proto'
  readonly 'ip6 nexthdr': 'inet_proto'
  readonly mark: 'mark'
  readonly 'ct mark': 'mark'
  readonly 'socket mark': 'mark'
  readonly skuid: 'uid'
  readonly skgid: 'gid'
  readonly 'ip saddr': 'ipv4_addr'
  readonly 'ip daddr': 'ipv4_addr'
  readonly 'ip6 saddr': 'ipv6_addr'
  readonly 'ip6 daddr': 'ipv6_addr'
  readonly 'tcp sport': 'inet_service'
  readonly 'tcp dport': 'inet_service'
  readonly 'udp sport': 'inet_service'
  readonly 'udp dport': 'inet_service'
  readonly 'th sport': 'inet_service'
  readonly 'th dport': 'inet_service'
}

/** The type of named sets for it. */
export type SetTypeOf<S extends Selector> = S extends keyof SetTypes ? SetTypes[S] & SetType : never

/** What something is compared with; a list is an anonymous set, of words that are bits it is any of them. */
export type Given<S extends Selector, X extends Context> =
  | SelectorValues[S]
  | Range<SelectorValues[S]>
  | { readonly value: SelectorValues[S]; readonly mask: SelectorValues[S] }
  | (SelectorValues[S] extends readonly (infer W)[] ? W : readonly Key<SelectorValues[S]>[])
  | { readonly set: readonly Key<SelectorValues[S]>[] }
  | { readonly named: SetsOf<X['parts'], SetTypeOf<S>> }

/** How something is compared when not for equality. */
export interface Comparison<S extends Selector, X extends Context, Next> {
  /** `!=`: another value, or none of them. */
  not<const V extends Given<S, X>>(value: V & Literal<S, V>): Next
  /** By size. */
  compare(op: '<' | '<=' | '>' | '>=', value: SelectorValues[S]): Next
}

/** Conditions of all families; each gives the next step, `Spoken` when it names a protocol. Without a value `.not(…)` or `.compare(…)` follows. */
export interface Matches<X extends Context, Next, Spoken> {
  /** The interface that it came in by; a name is literal, `{ prefix }` is all that begin so. */
  iifname(value: Given<'iifname', X>): Next
  iifname(): Comparison<'iifname', X, Next>
  /** The interface that it leaves by. */
  oifname(value: Given<'oifname', X>): Next
  oifname(): Comparison<'oifname', X, Next>
  nfproto(value: Given<'nfproto', X>): Next
  nfproto(): Comparison<'nfproto', X, Next>
  /** `meta l4proto`. */
  l4proto(value: Given<'l4proto', X>): Spoken
  l4proto(): Comparison<'l4proto', X, Next>
  /** The packet's mark. */
  mark(value: Given<'mark', X>): Next
  mark(): Comparison<'mark', X, Next>
  /** The user of the socket. */
  skuid(value: Given<'skuid', X>): Next
  skuid(): Comparison<'skuid', X, Next>
  /** The group of the socket. */
  skgid(value: Given<'skgid', X>): Next
  skgid(): Comparison<'skgid', X, Next>
  pkttype(value: Given<'pkttype', X>): Next
  pkttype(): Comparison<'pkttype', X, Next>
  tcp(field: 'sport' | 'dport', value: Given<'tcp dport', X>): Spoken
  tcp(field: 'sport' | 'dport'): Comparison<'tcp dport', X, Spoken>
  tcp(field: 'flags', value: Given<'tcp flags', X>): Spoken
  tcp(field: 'flags'): Comparison<'tcp flags', X, Spoken>
  udp(field: 'sport' | 'dport', value: Given<'udp dport', X>): Spoken
  udp(field: 'sport' | 'dport'): Comparison<'udp dport', X, Spoken>
  /** The ports of whatever protocol has them there. */
  th(field: 'sport' | 'dport', value: Given<'th dport', X>): Next
  th(field: 'sport' | 'dport'): Comparison<'th dport', X, Next>
  ct<F extends CtField>(field: F, value: Given<`ct ${F}`, X>): Next
  ct<F extends CtField>(field: F): Comparison<`ct ${F}`, X, Next>
  /** What the routing table says the address is. */
  fib(field: 'saddr' | 'daddr', value: Given<'fib daddr type', X>): Next
  fib(field: 'saddr' | 'daddr'): Comparison<'fib daddr type', X, Next>
  /** An open socket that the packet belongs to. */
  socket<F extends SocketField>(field: F, value: Given<`socket ${F}`, X>): Next
  socket<F extends SocketField>(field: F): Comparison<`socket ${F}`, X, Next>
}

/** Conditions of IPv4. */
export interface Ipv4Matches<X extends Context, Next, Spoken> {
  ip<const V extends Given<'ip daddr', X>>(field: 'saddr' | 'daddr', value: V & Literal<'ip daddr', V>): Next
  ip(field: 'saddr' | 'daddr'): Comparison<'ip daddr', X, Next>
  ip(field: 'protocol', value: Given<'ip protocol', X>): Spoken
  ip(field: 'protocol'): Comparison<'ip protocol', X, Next>
  icmp(field: 'type', value: Given<'icmp type', X>): Spoken
  icmp(field: 'type'): Comparison<'icmp type', X, Spoken>
}

/** Conditions of IPv6. */
export interface Ipv6Matches<X extends Context, Next, Spoken> {
  ip6<const V extends Given<'ip6 daddr', X>>(field: 'saddr' | 'daddr', value: V & Literal<'ip6 daddr', V>): Next
  ip6(field: 'saddr' | 'daddr'): Comparison<'ip6 daddr', X, Next>
  ip6(field: 'nexthdr', value: Given<'ip6 nexthdr', X>): Spoken
  ip6(field: 'nexthdr'): Comparison<'ip6 nexthdr', X, Next>
  icmpv6(field: 'type', value: Given<'icmpv6 type', X>): Spoken
  icmpv6(field: 'type'): Comparison<'icmpv6 type', X, Spoken>
}

/** A text of the other family is no value; one that is not known is. */
export type Literal<S extends Selector, V> = S extends 'ip saddr' | 'ip daddr'
  ? Every<V, Ipv4Text<TextsIn<V>>>
  : S extends 'ip6 saddr' | 'ip6 daddr'
    ? Every<V, Ipv6Text<TextsIn<V>>>
    : V

// internal

type CtField = 'state' | 'mark' | 'direction' | 'status'
type SocketField = 'transparent' | 'wildcard' | 'mark'

type TextsIn<V> = V extends string
  ? V
  : V extends readonly (infer E)[]
    ? TextsIn<E>
    : V extends { readonly from: infer A; readonly to: infer B }
      ? TextsIn<A> | TextsIn<B>
      : V extends { readonly set: infer L }
        ? TextsIn<L>
        : never

/** The texts among them that are none of the family. */
type Ipv4Text<T> = T extends `${string}:${string}` ? T : never
type Ipv6Text<T> = T extends string ? (string extends T ? never : T extends `${string}:${string}` ? never : T) : never

type Every<V, Wrong> = [Wrong] extends [never] ? V : never
