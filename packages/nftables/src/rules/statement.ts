import type { Expression } from '../wire/expressions/expression-types.ts'
import type { Verdict } from '../wire/fields/verdict.ts'
import type { Range, SelectorValues } from './values.ts'

/**
 * A condition: what `kind` names compared with `value`. Without `op`: equal to it, or in it; of several words (`ct state`)
 * any of them.
 */
export type Match<S extends keyof SelectorValues = keyof SelectorValues> = {
  readonly [K in S]: {
    readonly kind: K
    /** Sets and ranges know `!=` only. */
    readonly op?: '!=' | '<' | '<=' | '>' | '>='
    readonly value:
      | SelectorValues[K]
      | Range<SelectorValues[K]>
      | { readonly value: SelectorValues[K]; readonly mask: SelectorValues[K] }
      | { readonly set: readonly (SelectorValues[K] | Range<SelectorValues[K]>)[] }
      | { readonly named: string }
  }
}[S]

/**
 * A part of a rule, in nft's words. The **canonical form** is the one that `nftRuleset` gives and reading from the
 * kernel gives again, so that equal rules are deeply equal:
 *
 * - A rule says everything that its expressions say, one statement for each step, in their order: also the
 *   `l4proto` and `nfproto` that nft writes before `tcp dport` and `ip daddr` and does not print. `nftRuleset` adds them.
 * - Source and destination port compared for equality, which nft compares in one step, are two statements, the source first.
 * - No property is there that says a default: no `op` for equality, no `and` of all bits, no empty `flags`, no count of 0.
 * - Numbers are unsigned; a protocol is a word where `l4proto` of {@link SelectorValues} has one.
 * - An address is as `inet_ntop` writes it; a network has no bits behind its length, and no length when it is an address.
 *   A mask that is no prefix of an address is written as `{ value, mask }`.
 * - States, bits and flags have the order of their type. A set is sorted by the bytes of its keys; keys that overlap, and
 *   ranges that touch, are one. A range that is a network is the network there. A set of a single key is that key, but of
 *   `ct state` and `ct status`: there it compares for equality with just these bits, as `!=` does.
 * - Neighbouring expressions that are not modelled are one `raw`, whose expressions are as `decodeExpressions` gives them.
 */
export type Statement =
  | Match
  | {
      readonly [K in keyof SelectorValues]: {
        readonly kind: 'vmap'
        readonly on: K
        readonly map:
          | {
              readonly elements: readonly {
                readonly key: SelectorValues[K] | Range<SelectorValues[K]>
                readonly verdict: Verdict
              }[]
            }
          | { readonly named: string }
      }
    }[keyof SelectorValues]
  | { readonly kind: 'counter'; readonly packets?: bigint; readonly bytes?: bigint }
  | {
      readonly kind: 'mark set' | 'ct mark set'
      readonly to:
        | number
        | {
            readonly of: 'mark' | 'ct mark'
            /** Default: all. */
            readonly and?: number
            /** Default: none. */
            readonly xor?: number
          }
    }
  | { readonly kind: 'ct zone set'; readonly to: number }
  | { readonly kind: 'nftrace set'; readonly to: 0 | 1 }
  | { readonly kind: 'notrack' }
  | { readonly kind: 'accept' | 'drop' | 'return' | 'continue' }
  | { readonly kind: 'jump' | 'goto'; readonly chain: string }
  | {
      readonly kind: 'limit'
      readonly rate: number
      readonly per: 'second' | 'minute' | 'hour' | 'day' | 'week'
      /** nft's default is 5 packets, or 0 bytes. */
      readonly burst: number
      /** Default: packets. */
      readonly of?: 'bytes'
      readonly over?: true
    }
  | {
      readonly kind: 'log'
      readonly prefix?: string
      /** 0 emergency to 7 debug, 8 audit. nft's default is not to say. */
      readonly level?: number
      readonly flags?: readonly ('tcp sequence' | 'tcp options' | 'ip options' | 'skuid' | 'ether')[]
      readonly group?: number
      /** Bytes of the packet. */
      readonly snaplen?: number
      /** Packets that are told at once. */
      readonly threshold?: number
    }
  | {
      readonly kind: 'snat' | 'dnat'
      readonly family: 'ip' | 'ip6'
      readonly address?: string | Range<string>
      readonly port?: number | Range<number>
      readonly flags?: readonly ('random' | 'persistent' | 'fully-random')[]
    }
  | {
      readonly kind: 'redirect' | 'masquerade'
      readonly port?: number | Range<number>
      readonly flags?: readonly ('random' | 'persistent' | 'fully-random')[]
    }
  | {
      readonly kind: 'tproxy'
      /** Absent only in `inet`, and without an address: for both. */
      readonly family?: 'ip' | 'ip6'
      readonly address?: string
      readonly port?: number
    }
  | { readonly kind: 'reject'; readonly with: 'tcp reset' }
  /** The code is the kernel's number: of `icmpx` 0 no route, 1 port unreachable (nft's default), 2 host, 3 prohibited. */
  | { readonly kind: 'reject'; readonly with: 'icmp' | 'icmpv6' | 'icmpx'; readonly code: number }
  | { readonly kind: 'raw'; readonly expressions: readonly Expression[] }

/** Statements by their kind. */
type Kind<K extends Exclude<Statement, Match>['kind']> = Extract<Exclude<Statement, Match>, { readonly kind: K }>
export type MatchOp = NonNullable<Match['op']>
export type Vmap = Kind<'vmap'>
export type MarkValue = Kind<'mark set' | 'ct mark set'>['to']
export type Nat = Kind<'snat' | 'dnat'>
export type Redirect = Kind<'redirect' | 'masquerade'>
export type NatFlag = NonNullable<Nat['flags']>[number]
export type Tproxy = Kind<'tproxy'>
export type Reject = Kind<'reject'>
export type Limit = Kind<'limit'>
export type Log = Kind<'log'>
export type LogFlag = NonNullable<Log['flags']>[number]
export type Raw = Kind<'raw'>
export type Action = Exclude<Statement, Match | Vmap | Raw>

/** Whether it is a condition. */
export function isMatch(statement: Statement): statement is Match {
  return 'value' in statement
}
