import type { Rule } from '../model.ts'
import type { BasePart, SetPart } from './parts.ts'

/** Parts of a table: chains and sets by name. */
export type TableParts = { readonly [name: string]: BasePart | { readonly part: 'chain' } | SetPart }

/** A rule with its table and chain. */
export interface Placed {
  readonly table: string
  readonly chain: string
  readonly rule: Rule
}

/** A finished rule; only a comment may follow. */
export interface Ended extends Placed {
  /** Comment that `nft list` prints after the rule; at most 253 bytes. */
  comment(text: string): Ended
}

/** Names of the parts of type `P`. If the parts are unknown at compile time: all names. */
export type NamesOf<T extends TableParts, P> = {
  [K in keyof T & string]: [Extract<T[K], P>] extends [never] ? (TableParts[string] extends T[K] ? K : never) : K
}[keyof T & string]
