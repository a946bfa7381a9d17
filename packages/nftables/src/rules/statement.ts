import type { Expression } from '../wire/expressions.ts'
import type { Verdict } from '../wire/verdict.ts'
import type { Key, Operand, Range, Selector, SelectorValues } from './values.ts'

/**
 * A condition: what `kind` names compared with `value`. Without `op`: equal to it, or in it; of several words (`ct state`)
 * any of them.
 */
export type Match<S extends Selector = Selector> = {
  readonly [K in S]: {
    readonly kind: K
    readonly op?: MatchOp
    readonly value: Operand<SelectorValues[K]>
  }
}[S]

/** How it is compared when not for equality. Sets and ranges know `!=` only. */
export type MatchOp = '!=' | '<' | '<=' | '>' | '>='

/** Ends as the map says for what `on` holds; goes on when the map has nothing for it. */
export type Vmap<S extends Selector = Selector> = {
  readonly [K in S]: {
    readonly kind: 'vmap'
    readonly on: K
    readonly map: { readonly elements: readonly VmapElement<SelectorValues[K]>[] } | { readonly named: string }
  }
}[S]

/** What is to be done with packets that have this key. */
export interface VmapElement<T = SelectorValues[Selector]> {
  readonly key: Key<T>
  readonly verdict: Verdict
}

/** A mark to set: a number, or the other mark, or the same, with bits of `and` kept and those of `xor` turned. */
export type MarkValue =
  | number
  | {
      readonly of: 'mark' | 'ct mark'
      /** Default: all. */
      readonly and?: number
      /** Default: none. */
      readonly xor?: number
    }

/** How addresses and ports are chosen. */
export type NatFlag = 'random' | 'persistent' | 'fully-random'

/** Another address or port. */
export interface Nat {
  readonly kind: 'snat' | 'dnat'
  readonly family: 'ip' | 'ip6'
  readonly address?: string | Range<string>
  readonly port?: number | Range<number>
  readonly flags?: readonly NatFlag[]
}

/** To this machine, or from its address; on one port, or one of several. */
export interface Redirect {
  readonly kind: 'redirect' | 'masquerade'
  readonly port?: number | Range<number>
  readonly flags?: readonly NatFlag[]
}

/** To a transparent socket; at least one of `address` and `port`. Goes on with the next statement. */
export interface Tproxy {
  readonly kind: 'tproxy'
  /** Absent only in `inet`, and without an address: for both. */
  readonly family?: 'ip' | 'ip6'
  readonly address?: string
  readonly port?: number
}

/** The answer to the sender: `icmpx` is of both families. */
export type Reject =
  | { readonly kind: 'reject'; readonly with: 'tcp reset' }
  /** The code is the kernel's number: of `icmpx` 0 no route, 1 port unreachable (nft's default), 2 host, 3 prohibited. */
  | { readonly kind: 'reject'; readonly with: 'icmp' | 'icmpv6' | 'icmpx'; readonly code: number }

/** At most so often, or only what is more. */
export interface Limit {
  readonly kind: 'limit'
  readonly rate: number
  readonly per: 'second' | 'minute' | 'hour' | 'day' | 'week'
  /** nft's default is 5 packets, or 0 bytes. */
  readonly burst: number
  /** Default: packets. */
  readonly of?: 'bytes'
  readonly over?: true
}

/** To the kernel's log, or with `group` to a listener. */
export interface Log {
  readonly kind: 'log'
  readonly prefix?: string
  /** 0 emergency to 7 debug, 8 audit. nft's default is not to say. */
  readonly level?: number
  readonly flags?: readonly LogFlag[]
  readonly group?: number
  /** Bytes of the packet. */
  readonly snaplen?: number
  /** Packets that are told at once. */
  readonly threshold?: number
}

/** What else is logged. */
export type LogFlag = 'tcp sequence' | 'tcp options' | 'ip options' | 'skuid' | 'ether'

/** What a rule does when all conditions before it hold. */
export type Action =
  | { readonly kind: 'counter'; readonly packets?: bigint; readonly bytes?: bigint }
  | { readonly kind: 'mark set' | 'ct mark set'; readonly to: MarkValue }
  | { readonly kind: 'ct zone set'; readonly to: number }
  | { readonly kind: 'nftrace set'; readonly to: 0 | 1 }
  | { readonly kind: 'notrack' }
  | { readonly kind: 'accept' | 'drop' | 'return' | 'continue' }
  | { readonly kind: 'jump' | 'goto'; readonly chain: string }
  | Limit
  | Log
  | Nat
  | Redirect
  | Tproxy
  | Reject

/** What is not modelled, as the wire has it. */
export interface Raw {
  readonly kind: 'raw'
  readonly expressions: readonly Expression[]
}

/**
 * A part of a rule, in nft's words. The **canonical form** is the one that `nftRuleset` gives and reading from the
 * kernel gives again, so that equal rules are deeply equal:
 *
 * - A rule says everything that its expressions say, one statement for each step, in their order: also the
 *   `l4proto` and `nfproto` that nft writes before `tcp dport` and `ip daddr` and does not print. `nftRuleset` adds them.
 * - Source and destination port compared for equality, which nft compares in one step, are two statements, the source first.
 * - No property is there that says a default: no `op` for equality, no `and` of all bits, no empty `flags`, no count of 0.
 * - Numbers are unsigned; a protocol is a word where {@link Protocol} has one.
 * - An address is as `inet_ntop` writes it; a network has no bits behind its length, and no length when it is an address.
 *   Masks that are no prefix of an address are {@link Masked}.
 * - States, bits and flags have the order of their type. A set is sorted by the bytes of its keys; keys that overlap, and
 *   ranges that touch, are one. A range that is a network is the network there. A set of a single key is that key, but of
 *   `ct state` and `ct status`: there it compares for equality with just these bits, as `!=` does.
 * - Neighbouring expressions that are not modelled are one {@link Raw}, whose expressions are as `decodeExpressions` gives them.
 */
export type Statement = Match | Vmap | Action | Raw

/** Whether it is a condition. */
export function isMatch(statement: Statement): statement is Match {
  return 'value' in statement
}
