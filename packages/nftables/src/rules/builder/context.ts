import type { Rule } from '../model.ts'
import type { SetType } from '../values.ts'
import type { BasePart, Part, SetPart } from './parts.ts'

/** Families of rulesets. */
export type RulesetFamily = 'inet' | 'ip' | 'ip6'

/** What a table consists of: chains and sets by their names. */
export type TableParts = { readonly [name: string]: Part }

/** The tables of a ruleset by their names. */
export type TablesSpec = { readonly [table: string]: TableParts }

/** A rule, and where it belongs. */
export interface Placed {
  readonly table: string
  readonly chain: string
  readonly rule: Rule
}

/** A rule that has ended; a comment may follow. */
export interface Ended extends Placed {
  /** What `nft list` prints behind the rule; at most 253 bytes. */
  comment(text: string): Ended
}

/** Where a rule stands, and whether it has named a protocol that has ports. */
export interface Context {
  readonly family: RulesetFamily
  readonly parts: TableParts
  readonly chain: string
  readonly protocol: boolean
}

/** The chains of a table. */
export type ChainsOf<T extends TableParts> = NamesOf<T, BasePart | { readonly part: 'chain' }>

/** The chains that can be jumped to. */
export type OwnChainsOf<T extends TableParts> = NamesOf<T, { readonly part: 'chain' }>

/** The sets whose keys are of a type. */
export type SetsOf<T extends TableParts, Key extends SetType> = NamesOf<T, SetPart<Key, undefined>>

/** The maps from a type to verdicts. */
export type VmapsOf<T extends TableParts, Key extends SetType> = NamesOf<T, SetPart<Key, 'verdict'>>

// internal

/** Those that are such a part; where that is not known all. */
type NamesOf<T extends TableParts, P> = {
  [K in keyof T & string]: [Extract<T[K], P>] extends [never] ? (Part extends T[K] ? K : never) : K
}[keyof T & string]
