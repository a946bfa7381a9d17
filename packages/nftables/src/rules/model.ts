import type { Family } from '../wire/family.ts'
import type { Verdict } from '../wire/fields/verdict.ts'
import type { BaseChain } from '../wire/specs.ts'
import type { Statement } from './statement.ts'
import type { Range, SelectorValues, SetType } from './values.ts'

/** A rule: what it looks at and does, in the order in which it does so. */
export interface Rule {
  readonly statements: readonly Statement[]
  /** What `nft list` prints behind it; at most 253 bytes. */
  readonly comment?: string
}

/** A chain with its rules, in their order. */
export interface Chain {
  readonly name: string
  /** Where packets enter. Without it they come by jumps only. */
  readonly base?: BaseChain
  /** Of a base chain: what becomes of a packet at its end. Always there in canonical form, `accept` by default. */
  readonly policy?: 'accept' | 'drop'
  readonly comment?: string
  readonly rules: readonly Rule[]
}

/** A set with a name, or a map when there is `data`: rules look something up in it. */
export interface NamedSet {
  readonly name: string
  /** What keys are; of several, each key has all of them. */
  readonly key: SetType | readonly SetType[]
  /** Of a map: what keys are mapped to. */
  readonly data?: SetType | 'verdict'
  /** Keys may be ranges and networks. */
  readonly interval?: true
  /** Elements may go after a time: milliseconds, 0 is none unless the element has one. */
  readonly timeout?: number
  /** At most so many elements. */
  readonly size?: number
  readonly comment?: string
  /** What is in it. Without it the content is somebody else's: it is neither compared nor changed. */
  readonly elements?: readonly SetElement[]
}

/** An element of a named set or map. */
export interface SetElement {
  /** In a set whose keys have several parts, a list of them. */
  readonly key:
    | SelectorValues['iifname' | 'l4proto']
    | Range<SelectorValues['iifname' | 'l4proto']>
    | readonly (SelectorValues['iifname' | 'l4proto'] | Range<SelectorValues['iifname' | 'l4proto']>)[]
  /** In a map. */
  readonly data?: string | number | Verdict
  readonly comment?: string
  /** Milliseconds that it stays. */
  readonly timeout?: number
}

/** A table with everything in it: what is in the kernel's and not in it does not belong there. */
export interface Table {
  readonly family: Family
  readonly name: string
  readonly comment?: string
  /** Base chains first when nft is to be asked, otherwise in any order. */
  readonly chains: readonly Chain[]
  readonly sets: readonly NamedSet[]
}

/** Tables that a program owns, whole, as frozen plain data. See {@link Statement} for the canonical form of their rules. */
export interface Ruleset {
  readonly tables: readonly Table[]
}
