import type { Expression } from '../../wire/expressions/expressions.ts'
import type { Verdict } from '../../wire/fields/verdict.ts'
import type { Statement } from '../statement.ts'
import type { Key, Range, Selector, SelectorValues } from '../values.ts'
import type { Context, Ended, OwnChainsOf, VmapsOf } from './context.ts'
import type { SetTypeOf } from './match-types.ts'

/** Compiler message for a rule with a port and no protocol before it. No value has this type. */
export type ProtocolFirst = "A port needs a protocol before it, such as .l4proto('tcp')"

/** The port is that of a protocol: name it first. */
export type PortOf<X extends Context> = X['protocol'] extends true ? number | Range<number> : ProtocolFirst

/** What rules of all chains do. */
export interface ActionSteps<X extends Context, Next> {
  /** What `nft list` prints behind the rule; at most 253 bytes. */
  comment(text: string): Next
  counter(): Next
  /** At most so often; `burst` is 5 packets by default. */
  limit(
    options: Omit<Extract<Statement, { readonly kind: 'limit' }>, 'kind' | 'burst'> & { readonly burst?: number },
  ): Next
  log(options?: Omit<Extract<Statement, { readonly kind: 'log' }>, 'kind'>): Next
  /** `meta mark set`. */
  markSet(to: Extract<Statement, { readonly kind: 'mark set' | 'ct mark set' }>['to'] | 'ct mark'): Next
  ctMarkSet(to: Extract<Statement, { readonly kind: 'mark set' | 'ct mark set' }>['to'] | 'mark'): Next
  ctZoneSet(zone: number): Next
  /** `meta nftrace set`. Default 1. */
  nftraceSet(to?: 0 | 1): Next
  /** No connection tracking for the packet. */
  notrack(): Next
  /** What this package does not model, as the wire has it. */
  raw(...expressions: readonly Expression[]): Next
  accept(): Ended
  drop(): Ended
  return(): Ended
  continue(): Ended
  jump(chain: OwnChainsOf<X['parts']>): Ended
  goto(chain: OwnChainsOf<X['parts']>): Ended
  /** An answer to the sender; by default that the port is unreachable. */
  reject(how?: 'tcp reset'): Ended
  reject(how: 'icmpx' | 'icmp' | 'icmpv6', code: number): Ended
  /** Ends as a map says for what is looked at: keys with verdicts, or a named map. */
  vmap<S extends Selector>(
    on: S,
    map:
      | readonly (readonly [Key<SelectorValues[S]>, Verdict])[]
      | { readonly named: VmapsOf<X['parts'], SetTypeOf<S>> },
  ): Ended
}

/** In nat, where the destination is chosen. */
export interface RedirectSteps<X extends Context> {
  /** To this machine, on the same port or another. */
  redirect(port?: PortOf<X>, options?: Pick<Extract<Statement, { readonly kind: 'snat' | 'dnat' }>, 'flags'>): Ended
}

/** In nat, where the destination is chosen. */
export interface NatSteps<X extends Context> {
  dnat(
    family: FamilyOf<X>,
    address: string | Range<string>,
    port?: PortOf<X>,
    options?: Pick<Extract<Statement, { readonly kind: 'snat' | 'dnat' }>, 'flags'>,
  ): Ended
}

/** In nat, where packets leave. */
export interface PostroutingSteps<X extends Context> {
  /** From the address of this machine. */
  masquerade(port?: PortOf<X>, options?: Pick<Extract<Statement, { readonly kind: 'snat' | 'dnat' }>, 'flags'>): Ended
}

/** In nat, where the source is chosen. */
export interface SnatSteps<X extends Context> {
  snat(
    family: FamilyOf<X>,
    address: string | Range<string>,
    port?: PortOf<X>,
    options?: Pick<Extract<Statement, { readonly kind: 'snat' | 'dnat' }>, 'flags'>,
  ): Ended
}

/** Steps of a filter chain of prerouting. The protocol comes first. */
export interface TproxySteps<X extends Context, Next> {
  /** To a transparent socket. The rule goes on. */
  tproxy(family: X['protocol'] extends true ? FamilyOf<X> : ProtocolFirst, port: number, address?: string): Next
}

/** Which families it can be about. */
export type FamilyOf<X extends Context> = X['family'] extends 'inet' ? 'ip' | 'ip6' : X['family']
