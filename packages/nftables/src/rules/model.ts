import type { Family } from '../wire/family.ts'
import type { Verdict } from '../wire/fields/verdict.ts'
import type { BaseChain } from '../wire/specs.ts'
import type { Statement } from './statement.ts'
import type { Range, SelectorValues, SetType } from './values.ts'

/** Rule of a chain: conditions and actions, in the order in which the kernel evaluates them. */
export interface Rule {
  readonly statements: readonly Statement[]
  /** Comment that `nft list` prints after the rule; at most 253 bytes. */
  readonly comment?: string
}

/** Chain of a table with its rules, in the order of evaluation. */
export interface Chain {
  readonly name: string
  /** Type, hook and priority of a base chain. Packets enter a chain without `base` by jumps only. */
  readonly base?: BaseChain
  /**
   * Policy of a base chain: the verdict at the chain's end. The canonical form always has a policy. Default: `accept`.
   */
  readonly policy?: 'accept' | 'drop'
  readonly comment?: string
  readonly rules: readonly Rule[]
}

/** Named set of a table, or a map if `data` is present. Rules look up keys in the set. */
export interface NamedSet {
  readonly name: string
  /** Data type of the set's keys. A list of types means keys with several parts. */
  readonly key: SetType | readonly SetType[]
  /** Data type of a map's values. */
  readonly data?: SetType | 'verdict'
  /** True if the set's keys can be ranges and networks. */
  readonly interval?: true
  /**
   * Default time until elements of the set expire, in milliseconds. With 0, only elements with their own timeout
   * expire.
   */
  readonly timeout?: number
  /** Maximum number of elements of the set. */
  readonly size?: number
  readonly comment?: string
  /** Elements of the set, if the ruleset owns them. If absent, `apply` and `verify` ignore the set's elements. */
  readonly elements?: readonly SetElement[]
}

/** Element of a named set or map: a key, optionally with data, comment and timeout. */
export interface SetElement {
  /** Key of the set element. A list if the set's keys have several parts. */
  readonly key:
    | SelectorValues['iifname' | 'l4proto']
    | Range<SelectorValues['iifname' | 'l4proto']>
    | readonly (SelectorValues['iifname' | 'l4proto'] | Range<SelectorValues['iifname' | 'l4proto']>)[]
  /** Value to which a map maps the element's key. */
  readonly data?: string | number | Verdict
  readonly comment?: string
  /** Time until the set element expires, in milliseconds. */
  readonly timeout?: number
}

/** Table of a ruleset with all its content. `verify` reports any other object in the kernel's table. */
export interface Table {
  readonly family: Family
  readonly name: string
  readonly comment?: string
  /** Chains of the table, in any order. */
  readonly chains: readonly Chain[]
  readonly sets: readonly NamedSet[]
}

/**
 * Complete tables that a program owns, as frozen plain data. {@link Statement} describes the canonical form of rules.
 */
export interface Ruleset {
  readonly tables: readonly Table[]
}
