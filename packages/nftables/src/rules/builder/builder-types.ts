import type { Expression } from '../../wire/expressions/expression-types.ts'
import type { Verdict } from '../../wire/fields/verdict.ts'
import type { Statement } from '../statement.ts'
import type { Range, SelectorValues } from '../values.ts'
import type { Ended, NamesOf, Placed, TableParts } from './context.ts'
import type { Comparison, Given, Literal, SetTypeOf } from './given.ts'
import type { BasePart, SetPart } from './parts.ts'

/**
 * Rule under construction. Each method returns a new builder, and each builder is a complete rule. The type has only
 * the methods that the kernel accepts in the chain.
 *
 * The type parameter `Port` is the type of port values. It is an error message until the rule names a protocol.
 */
export type RuleBuilder<
  F extends 'inet' | 'ip' | 'ip6',
  T extends TableParts,
  C extends string = string,
  Port = "A port needs a protocol before it, such as .l4proto('tcp')",
> = Omit<RuleSteps<F, T, C, Port>, Withheld<F, T[C] extends BasePart ? T[C] : T[keyof T]>>

/** Rule builders of a ruleset, one for each table. `on` begins a rule at the end of a chain. */
export type Builders<F extends 'inet' | 'ip' | 'ip6', Tables extends Readonly<Record<string, TableParts>>> = {
  readonly [N in keyof Tables]: {
    on<const C extends NamesOf<Tables[N], BasePart | { readonly part: 'chain' }>>(
      chain: C,
    ): RuleBuilder<F, Tables[N], C>
  }
}

// internal

/** Methods of a rule builder. A condition without a value returns `not` and `compare`. */
interface RuleSteps<F extends 'inet' | 'ip' | 'ip6', T extends TableParts, C extends string, Port> extends Placed {
  /**
   * Incoming interface of the packet. A text is a literal interface name. `{ prefix }` matches all interface names with
   * the prefix.
   */
  iifname(value: Given<'iifname', T>): RuleBuilder<F, T, C, Port>
  iifname(): Comparison<'iifname', T, RuleBuilder<F, T, C, Port>>
  /** Outgoing interface of the packet. */
  oifname(value: Given<'oifname', T>): RuleBuilder<F, T, C, Port>
  oifname(): Comparison<'oifname', T, RuleBuilder<F, T, C, Port>>
  nfproto(value: Given<'nfproto', T>): RuleBuilder<F, T, C, Port>
  nfproto(): Comparison<'nfproto', T, RuleBuilder<F, T, C, Port>>
  /** Transport protocol (`meta l4proto`). */
  l4proto(value: Given<'l4proto', T>): RuleBuilder<F, T, C, number | Range<number>>
  l4proto(): Comparison<'l4proto', T, RuleBuilder<F, T, C, Port>>
  /** Mark of the packet (`meta mark`). */
  mark(value: Given<'mark', T>): RuleBuilder<F, T, C, Port>
  mark(): Comparison<'mark', T, RuleBuilder<F, T, C, Port>>
  /** User id of the packet's socket (`meta skuid`). */
  skuid(value: Given<'skuid', T>): RuleBuilder<F, T, C, Port>
  skuid(): Comparison<'skuid', T, RuleBuilder<F, T, C, Port>>
  /** Group id of the packet's socket (`meta skgid`). */
  skgid(value: Given<'skgid', T>): RuleBuilder<F, T, C, Port>
  skgid(): Comparison<'skgid', T, RuleBuilder<F, T, C, Port>>
  pkttype(value: Given<'pkttype', T>): RuleBuilder<F, T, C, Port>
  pkttype(): Comparison<'pkttype', T, RuleBuilder<F, T, C, Port>>
  ip<const V extends Given<'ip daddr', T>>(
    field: 'saddr' | 'daddr',
    value: V & Literal<'ip daddr', V>,
  ): RuleBuilder<F, T, C, Port>
  ip(field: 'saddr' | 'daddr'): Comparison<'ip daddr', T, RuleBuilder<F, T, C, Port>>
  ip(field: 'protocol', value: Given<'ip protocol', T>): RuleBuilder<F, T, C, number | Range<number>>
  ip(field: 'protocol'): Comparison<'ip protocol', T, RuleBuilder<F, T, C, Port>>
  icmp(field: 'type', value: Given<'icmp type', T>): RuleBuilder<F, T, C, number | Range<number>>
  icmp(field: 'type'): Comparison<'icmp type', T, RuleBuilder<F, T, C, number | Range<number>>>
  ip6<const V extends Given<'ip6 daddr', T>>(
    field: 'saddr' | 'daddr',
    value: V & Literal<'ip6 daddr', V>,
  ): RuleBuilder<F, T, C, Port>
  ip6(field: 'saddr' | 'daddr'): Comparison<'ip6 daddr', T, RuleBuilder<F, T, C, Port>>
  ip6(field: 'nexthdr', value: Given<'ip6 nexthdr', T>): RuleBuilder<F, T, C, number | Range<number>>
  ip6(field: 'nexthdr'): Comparison<'ip6 nexthdr', T, RuleBuilder<F, T, C, Port>>
  icmpv6(field: 'type', value: Given<'icmpv6 type', T>): RuleBuilder<F, T, C, number | Range<number>>
  icmpv6(field: 'type'): Comparison<'icmpv6 type', T, RuleBuilder<F, T, C, number | Range<number>>>
  tcp(field: 'sport' | 'dport', value: Given<'tcp dport', T>): RuleBuilder<F, T, C, number | Range<number>>
  tcp(field: 'sport' | 'dport'): Comparison<'tcp dport', T, RuleBuilder<F, T, C, number | Range<number>>>
  tcp(field: 'flags', value: Given<'tcp flags', T>): RuleBuilder<F, T, C, number | Range<number>>
  tcp(field: 'flags'): Comparison<'tcp flags', T, RuleBuilder<F, T, C, number | Range<number>>>
  udp(field: 'sport' | 'dport', value: Given<'udp dport', T>): RuleBuilder<F, T, C, number | Range<number>>
  udp(field: 'sport' | 'dport'): Comparison<'udp dport', T, RuleBuilder<F, T, C, number | Range<number>>>
  /** Source port or destination port of any transport protocol (`th`). */
  th(field: 'sport' | 'dport', value: Given<'th dport', T>): RuleBuilder<F, T, C, Port>
  th(field: 'sport' | 'dport'): Comparison<'th dport', T, RuleBuilder<F, T, C, Port>>
  ct<N extends 'state' | 'mark' | 'direction' | 'status'>(
    field: N,
    value: Given<`ct ${N}`, T>,
  ): RuleBuilder<F, T, C, Port>
  ct<N extends 'state' | 'mark' | 'direction' | 'status'>(
    field: N,
  ): Comparison<`ct ${N}`, T, RuleBuilder<F, T, C, Port>>
  /** Type of an address of the packet, by the routing table (`fib`). */
  fib(field: 'saddr' | 'daddr', value: Given<'fib daddr type', T>): RuleBuilder<F, T, C, Port>
  fib(field: 'saddr' | 'daddr'): Comparison<'fib daddr type', T, RuleBuilder<F, T, C, Port>>
  /** Property of the local socket to which the packet belongs (`socket`). */
  socket<N extends 'transparent' | 'wildcard' | 'mark'>(
    field: N,
    value: Given<`socket ${N}`, T>,
  ): RuleBuilder<F, T, C, Port>
  socket<N extends 'transparent' | 'wildcard' | 'mark'>(
    field: N,
  ): Comparison<`socket ${N}`, T, RuleBuilder<F, T, C, Port>>

  /** Adds a comment that `nft list` prints after the rule, at most 253 bytes. */
  comment(text: string): RuleBuilder<F, T, C, Port>
  counter(): RuleBuilder<F, T, C, Port>
  /** Adds a rate limit to the rule. `burst` defaults to 5 packets. */
  limit(
    options: Omit<Extract<Statement, { readonly kind: 'limit' }>, 'kind' | 'burst'> & { readonly burst?: number },
  ): RuleBuilder<F, T, C, Port>
  log(options?: Omit<Extract<Statement, { readonly kind: 'log' }>, 'kind'>): RuleBuilder<F, T, C, Port>
  /** Sets the packet's mark (`meta mark set`). */
  markSet(
    to: Extract<Statement, { readonly kind: 'mark set' | 'ct mark set' }>['to'] | 'ct mark',
  ): RuleBuilder<F, T, C, Port>
  ctMarkSet(
    to: Extract<Statement, { readonly kind: 'mark set' | 'ct mark set' }>['to'] | 'mark',
  ): RuleBuilder<F, T, C, Port>
  ctZoneSet(zone: number): RuleBuilder<F, T, C, Port>
  /** Turns tracing on or off (`meta nftrace set`). Default: 1, for on. */
  nftraceSet(to?: 0 | 1): RuleBuilder<F, T, C, Port>
  /** Turns off connection tracking for the packet. */
  notrack(): RuleBuilder<F, T, C, Port>
  /** Adds given netlink expressions as they are. Use it for statements that this package does not model. */
  raw(...expressions: readonly Expression[]): RuleBuilder<F, T, C, Port>
  accept(): Ended
  drop(): Ended
  return(): Ended
  continue(): Ended
  jump(chain: NamesOf<T, { readonly part: 'chain' }>): Ended
  goto(chain: NamesOf<T, { readonly part: 'chain' }>): Ended
  /** Rejects the packet: answers its sender with an error. Default: port unreachable. */
  reject(how?: 'tcp reset'): Ended
  reject(how: 'icmpx' | 'icmp' | 'icmpv6', code: number): Ended
  /** Looks up the verdict in a map: an anonymous map of this rule, or a named map of the table. */
  vmap<S extends keyof SelectorValues>(
    on: S,
    map:
      | readonly (readonly [key: SelectorValues[S] | Range<SelectorValues[S]>, verdict: Verdict])[]
      | { readonly named: NamesOf<T, SetPart<SetTypeOf<S>, 'verdict'>> },
  ): Ended
  /** Redirects the packet to this machine, to the same port or another. For nat chains in prerouting and output. */
  redirect(port?: Port, options?: Pick<Extract<Statement, { readonly kind: 'snat' | 'dnat' }>, 'flags'>): Ended
  /** Changes the packet's destination (DNAT). For nat chains in prerouting and output. */
  dnat(
    family: F extends 'inet' ? 'ip' | 'ip6' : F,
    address: string | Range<string>,
    port?: Port,
    options?: Pick<Extract<Statement, { readonly kind: 'snat' | 'dnat' }>, 'flags'>,
  ): Ended
  /** Changes the packet's source to an address of this machine (`masquerade`). For nat chains in postrouting. */
  masquerade(port?: Port, options?: Pick<Extract<Statement, { readonly kind: 'snat' | 'dnat' }>, 'flags'>): Ended
  /** Changes the packet's source (SNAT). For nat chains in postrouting and input. */
  snat(
    family: F extends 'inet' ? 'ip' | 'ip6' : F,
    address: string | Range<string>,
    port?: Port,
    options?: Pick<Extract<Statement, { readonly kind: 'snat' | 'dnat' }>, 'flags'>,
  ): Ended
  /**
   * Delivers the packet to a transparent socket, and continues with the next statement. Allowed only in filter chains
   * at prerouting, after a condition that names a protocol.
   */
  tproxy(
    family: F extends 'inet' ? 'ip' | 'ip6' : F,
    port: Exclude<Port, Range<number>>,
    address?: string,
  ): RuleBuilder<F, T, C, Port>
}

/** Names of builder methods that `RuleBuilder` hides, because the kernel would refuse them. */
type Withheld<F, Bases> =
  | (F extends 'ip6' ? 'ip' | 'icmp' : never)
  | (F extends 'ip' ? 'ip6' | 'icmpv6' : never)
  | ((Bases extends BasePart<infer Type, infer Hook> ? `${Type} ${Hook}` : never) extends infer Reached
      ?
          | ([Reached & ('nat prerouting' | 'nat output')] extends [never] ? 'redirect' | 'dnat' : never)
          | ([Reached & ('nat postrouting' | 'nat input')] extends [never] ? 'snat' : never)
          | ([Reached & 'nat postrouting'] extends [never] ? 'masquerade' : never)
          | ([Reached & 'filter prerouting'] extends [never] ? 'tproxy' : never)
      : never)
