import type { AddressPair, AddrType, BuiltinChain, CtState, Family, Rule, Table } from './model.ts'

/** The tables a ruleset uses and the chains it owns in each. A table with `[]` owns none. */
export type TableSpec = { readonly [T in Table]?: readonly string[] }

/** The families a rule under construction stands in. */
export type Scope = 'both' | Family

/** A bare address is only possible once the rule stands in a single family. */
export type AddressOf<S extends Scope> = S extends 'both' ? AddressPair : string | AddressPair

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

/** A user or group: a number, a range `1000-2000`, or a name that the node knows. */
export type Owner = number | string

/** The conditions that can be negated with `.not`. */
export interface NegatableMatches<Next, S extends Scope> {
  /** `-p`: the protocol. */
  proto(protocol: Protocol): Next
  /** `-s`: source address or network. */
  src(address: AddressOf<S>): Next
  /** `-d`: destination address or network. */
  dst(address: AddressOf<S>): Next
  /** `-i`: incoming interface; a trailing `+` is a wildcard. */
  in(name: string): Next
  /** `-o`: outgoing interface; a trailing `+` is a wildcard. */
  out(name: string): Next
  /** `--sport`: source port or range; needs a protocol with ports before it. */
  sport(ports: Ports): Next
  /** `--dport`: destination port or range; needs a protocol with ports before it. */
  dport(ports: Ports): Next
  /** `-m multiport --sports`: one of up to 15 ports (a range counts twice). */
  sports(...ports: readonly Ports[]): Next
  /** `-m multiport --dports`: one of up to 15 ports (a range counts twice). */
  dports(...ports: readonly Ports[]): Next
  /** `-m owner --uid-owner`: the user that owns the sending socket. */
  uid(owner: Owner): Next
  /** `-m owner --gid-owner`: the group that owns the sending socket. Call it several times for several conditions. */
  gid(owner: Owner): Next
  /** `-m owner --socket-exists`: the packet belongs to a local socket. */
  socketExists(): Next
  /** `-m conntrack --ctstate`: any of these states. */
  ctstate(...states: readonly CtState[]): Next
  /** `-m mark --mark`: the packet's mark. */
  mark(value: number, mask?: number): Next
  /** `-m connmark --mark`: the connection's mark. */
  connmark(value: number, mask?: number): Next
  /** `-m addrtype --src-type`: kind of the source address. */
  srcType(...types: readonly AddrType[]): Next
  /** `-m addrtype --dst-type`: kind of the destination address. */
  dstType(...types: readonly AddrType[]): Next
}

/** Targets of every table; each ends the rule. */
export interface CommonTargets<Own extends string> {
  /** `-j CHAIN`: continue in an own chain, return here after it. */
  jump(chain: Own): Rule
  /** `-g CHAIN`: continue in an own chain, return to where this chain was called from. */
  goto(chain: Own): Rule
  /** `-j RETURN`: leave this chain. */
  return(): Rule
  /** `-j ACCEPT`. */
  accept(): Rule
  /** `-j MARK --set-mark`: mark the packet. */
  setMark(value: number, mask?: number): Rule
  /** `-j CONNMARK --set-mark`: mark the connection. */
  setConnmark(value: number, mask?: number): Rule
  /** `-j CONNMARK --save-mark`: copy the packet's mark to its connection. */
  saveMark(mask?: number): Rule
  /** `-j CONNMARK --restore-mark`: copy the connection's mark to the packet. */
  restoreMark(mask?: number): Rule
  /** `-j LOG`: write a line to the kernel log. */
  log(prefix?: string): Rule
  /** No target: the rule only counts. */
  count(): Rule
  /** A target that this package does not model, with its options as tokens. */
  rawTarget(name: string, ...tokens: readonly string[]): Rule
}

interface Drop {
  /** `-j DROP`. */
  drop(): Rule
}

interface NatTargets<S extends Scope> {
  /** `-j REDIRECT --to-ports`: to a local port, or a range written `1000-2000`. */
  redirect(port?: number | `${number}-${number}`): Rule
  /** `-j DNAT --to-destination`: `address`, `address:port`, `[address]:port`. */
  dnat(to: AddressOf<S>): Rule
  /** `-j SNAT --to-source`. */
  snat(to: AddressOf<S>): Rule
  /** `-j MASQUERADE`. */
  masquerade(): Rule
}

interface MangleTargets {
  /** `-j TPROXY`: hand the packet to a local transparent socket; needs `proto('tcp')` or `proto('udp')`. */
  tproxy(options: { readonly port: number; readonly mark?: number; readonly mask?: number }): Rule
}

interface RawTargets {
  /** `-j CT --zone`: the conntrack zone of the connection. */
  ctZone(zone: number): Rule
  /** `-j CT --notrack`: keep the packet out of connection tracking. */
  notrack(): Rule
}

interface FilterTargets {
  /** `-j REJECT`: refuse with "port unreachable", or with a TCP reset. */
  reject(answer?: 'tcp-reset'): Rule
}

/** The targets that exist in one table only. */
export type TableTargets<T extends Table, S extends Scope> = T extends 'nat'
  ? NatTargets<S>
  : T extends 'mangle'
    ? Drop & MangleTargets
    : T extends 'raw'
      ? Drop & RawTargets
      : T extends 'filter'
        ? Drop & FilterTargets
        : Drop

/** The steps of a rule that are neither negatable conditions nor targets. */
export interface RuleSteps<T extends Table, Own extends string, S extends Scope>
  extends NegatableMatches<RuleBuilder<T, Own, S>, S> {
  /** Negates the next condition. */
  readonly not: NegatableMatches<RuleBuilder<T, Own, S>, S>
  /** Restricts the rule to one family; bare addresses are possible after it. */
  only<F extends S extends 'both' ? Family : S>(family: F): RuleBuilder<T, Own, F>
  /** `-m comment --comment`. */
  comment(text: string): RuleBuilder<T, Own, S>
  /** Conditions that this package does not model, as tokens: `.raw('-m', 'limit', '--limit', '3/min')`. */
  raw(...tokens: readonly string[]): RuleBuilder<T, Own, S>
}

/** A rule under construction; every step returns a new one, a target ends it. */
export type RuleBuilder<T extends Table, Own extends string, S extends Scope = 'both'> = RuleSteps<T, Own, S> &
  CommonTargets<Own> &
  TableTargets<T, S>

/** Starts the rules of one table. */
export interface TableBuilder<T extends Table, Own extends string> {
  /** A rule at the end of a chain. */
  on(chain: BuiltinChain<T> | Own): RuleBuilder<T, Own>
  /** A rule at `position` (default 1) of a chain, counted when the rule is written. */
  insert(chain: BuiltinChain<T> | Own, position?: number): RuleBuilder<T, Own>
}

/** One table builder per declared table. */
export type Builders<Spec extends TableSpec> = {
  readonly [T in keyof Spec & Table]: TableBuilder<
    T,
    Spec[T] extends readonly (infer Own extends string)[] ? Own : never
  >
}
