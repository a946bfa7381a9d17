import type { Expression } from '../wire/expressions/expression-types.ts'
import type { Verdict } from '../wire/fields/verdict.ts'
import type { Range, SelectorValues } from './values.ts'

/**
 * Condition of a rule: compares the packet's property `kind` with `value`. The default `op` is equality, or membership
 * of a set or range. A list of flags matches if the packet has any of them.
 */
export type Match<S extends keyof SelectorValues = keyof SelectorValues> = {
  readonly [K in S]: {
    readonly kind: K
    /** Operator of the condition. A set or a range allows `!=` only. */
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
 * Condition or action of a rule, in nft's words. Rules of `nftRuleset` and of the kernel share one **canonical form**:
 *
 * - A rule has one statement for each step of its expressions, in order. The function `nftRuleset` adds protocol
 *   conditions that nft does not print.
 * - A condition on the source port precedes a condition on the destination port.
 * - Defaults are omitted: no `op` for equality, no `and` of all bits, no empty `flags`, no count of 0.
 * - Numbers are unsigned. A protocol is a word if `l4proto` of {@link SelectorValues} has a word for it.
 * - An address has the form of `inet_ntop`. A network has no bits set after its prefix. A single address has no prefix
 *   length. An address with any other mask is written as `{ value, mask }`.
 * - States, bits and flags have the order of their type. A set is sorted by the bytes of its keys. Overlapping keys and
 *   touching ranges are joined. A range that is exactly a network is written as a network.
 * - A set of one key is written as its key, except for `ct state` and `ct status`.
 * - Adjacent expressions that are not modelled form one `raw` statement.
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
            /** Bits of the old mark that a mark statement keeps (AND). Default: all bits. */
            readonly and?: number
            /** Bits of the mark to invert (XOR). Applied after `and`. Default: no bits. */
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
      /**
       * Size of a burst that a `limit` allows. The default of nft is 5 packets. The default for a rate in bytes is 0
       * bytes.
       */
      readonly burst: number
      /** Unit of a `limit` statement's rate. Default: packets. */
      readonly of?: 'bytes'
      readonly over?: true
    }
  | {
      readonly kind: 'log'
      readonly prefix?: string
      /** Log level of a `log` statement, from 0 (emergency) to 8 (audit). Omitted for the kernel's default, 4. */
      readonly level?: number
      readonly flags?: readonly ('tcp sequence' | 'tcp options' | 'ip options' | 'skuid' | 'ether')[]
      readonly group?: number
      /** Number of bytes of the packet that a `log` statement logs. */
      readonly snaplen?: number
      /** Number of logged packets that the kernel collects before it sends them in one netlink message. */
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
      /**
       * Address family of a `tproxy` statement. In `inet` tables, a statement without family and address applies to
       * both families.
       */
      readonly family?: 'ip' | 'ip6'
      readonly address?: string
      readonly port?: number
    }
  | { readonly kind: 'reject'; readonly with: 'tcp reset' }
  /**
   * Code of a `reject` statement, as the kernel's number. For `icmpx`: 0 no route, 1 port unreachable (nft's default),
   * 2 host unreachable, 3 prohibited.
   */
  | { readonly kind: 'reject'; readonly with: 'icmp' | 'icmpv6' | 'icmpx'; readonly code: number }
  | { readonly kind: 'raw'; readonly expressions: readonly Expression[] }

/** Type of the statements of one kind, such as `log`. */
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

/** True if a statement is a condition, and not an action. */
export function isMatch(statement: Statement): statement is Match {
  return 'value' in statement
}
