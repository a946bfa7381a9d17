import type { Family } from '../wire/family.ts'
import type { Verdict } from '../wire/fields/verdict.ts'
import type { BaseChain } from '../wire/specs.ts'
import type { Statement } from './statement.ts'
import type { Range, SelectorValues, SetType } from './values.ts'

/** A rule: conditions and actions, in the order in which the kernel evaluates them. */
export interface Rule {
  readonly statements: readonly Statement[]
  /** Comment that `nft list` prints after the rule; at most 253 bytes. */
  readonly comment?: string
}

/** A chain with its rules, in their order. */
export interface Chain {
  readonly name: string
  /** Type, hook and priority. A chain without `base` is entered by jumps only. */
  readonly base?: BaseChain
  /** Policy at the end of a base chain. The canonical form always has it; the default is `accept`. */
  readonly policy?: 'accept' | 'drop'
  readonly comment?: string
  readonly rules: readonly Rule[]
}

/** A named set, or a map if `data` is there. Rules look up keys in it. */
export interface NamedSet {
  readonly name: string
  /** Type of the keys. A list of types means keys with several parts. */
  readonly key: SetType | readonly SetType[]
  /** Type of a map's values. */
  readonly data?: SetType | 'verdict'
  /** True if keys can be ranges and networks. */
  readonly interval?: true
  /** Time until elements expire, in milliseconds. 0 means that only elements with their own timeout expire. */
  readonly timeout?: number
  /** Maximum number of elements. */
  readonly size?: number
  readonly comment?: string
  /** Elements that the ruleset owns. Without it other programs own the content: it is neither compared nor changed. */
  readonly elements?: readonly SetElement[]
}

/** An element of a named set or map. */
export interface SetElement {
  /** Key. It is a list if the set's keys have several parts. */
  readonly key:
    | SelectorValues['iifname' | 'l4proto']
    | Range<SelectorValues['iifname' | 'l4proto']>
    | readonly (SelectorValues['iifname' | 'l4proto'] | Range<SelectorValues['iifname' | 'l4proto']>)[]
  /** Value of the key, in a map. */
  readonly data?: string | number | Verdict
  readonly comment?: string
  /** Time until the element expires, in milliseconds. */
  readonly timeout?: number
}

/** A table with all its content. An object of the kernel's table that is missing here is unexpected. */
export interface Table {
  readonly family: Family
  readonly name: string
  readonly comment?: string
  /** Chains in any order. */
  readonly chains: readonly Chain[]
  readonly sets: readonly NamedSet[]
}

/**
 * Complete tables that a program owns, as frozen plain data. {@link Statement} describes the canonical form of rules.
 */
export interface Ruleset {
  readonly tables: readonly Table[]
}
