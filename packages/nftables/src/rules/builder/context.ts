import type { Rule } from '../model.ts'
import type { BasePart, SetPart } from './parts.ts'

/** Chains and sets of a table by name, as `nftRuleset` declares them. */
export type TableParts = { readonly [name: string]: BasePart | { readonly part: 'chain' } | SetPart }

/** Rule with the names of the table and the chain to which the rule belongs. */
export interface Placed {
  readonly table: string
  readonly chain: string
  readonly rule: Rule
}

/** Builder of a finished rule: only a comment may follow. */
export interface Ended extends Placed {
  /** Adds a comment that `nft list` prints after the rule, at most 253 bytes. */
  comment(text: string): Ended
}

/** Names of the table's chains and sets whose declaration has the type `P`. */
export type NamesOf<T extends TableParts, P> = {
  [K in keyof T & string]: [Extract<T[K], P>] extends [never] ? (TableParts[string] extends T[K] ? K : never) : K
}[keyof T & string]
