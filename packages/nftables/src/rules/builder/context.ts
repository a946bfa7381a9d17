import type { Rule } from '../model.ts'
import type { BasePart, SetPart } from './parts.ts'

/** What a table consists of: chains and sets by their names. */
export type TableParts = { readonly [name: string]: BasePart | { readonly part: 'chain' } | SetPart }

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

/** The names of those that are such a part; where that is not known all. */
export type NamesOf<T extends TableParts, P> = {
  [K in keyof T & string]: [Extract<T[K], P>] extends [never] ? (TableParts[string] extends T[K] ? K : never) : K
}[keyof T & string]
