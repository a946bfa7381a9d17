import type { Statement } from '../rules/statement.ts'
import type { NftElement, NftSet } from '../wire/dumps/set-records.ts'
import type { Expression } from '../wire/expressions/expression-types.ts'
import type { Context } from './loads.ts'

/** Kernel set in which a decoded rule looks up keys, with the elements of the set. */
export interface SetRecord {
  readonly set: NftSet
  readonly elements: readonly NftElement[]
}

/** Sets of a table by name, including anonymous sets such as `__set3`. */
export type Sets = ReadonlyMap<string, SetRecord>

/** State while a kernel rule is decoded: its expressions, the table's sets, and the known protocols. */
export interface Reading {
  readonly expressions: readonly Expression[]
  readonly sets: Sets
  /** Protocols that the already decoded statements of the rule have checked. */
  readonly context: Context
}

/** Result of a decoder: the decoded statements, and the number of netlink expressions that they cover. */
export interface Read {
  readonly statements: readonly Statement[]
  readonly length: number
}

/** Function that decodes one kind of statement; `undefined` for other kinds. */
export type Reader = (reading: Reading, at: number) => Read | undefined

export const read = (length: number, ...statements: readonly Statement[]): Read => ({ statements, length })
