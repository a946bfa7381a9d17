import type { Statement } from '../rules/statement.ts'
import type { NftElement, NftSet } from '../wire/dumps/set-records.ts'
import type { Expression } from '../wire/expressions/expression-types.ts'
import type { Context } from './loads.ts'

/** A set that a rule looks up, with its elements. */
export interface SetRecord {
  readonly set: NftSet
  readonly elements: readonly NftElement[]
}

/** Sets of a table by name, including anonymous sets such as `__set3`. */
export type Sets = ReadonlyMap<string, SetRecord>

/** A rule that is being decoded. */
export interface Reading {
  readonly expressions: readonly Expression[]
  readonly sets: Sets
  /** Facts about the packet from the statements so far. */
  readonly context: Context
}

/** Decoded statements, and the number of their expressions. */
export interface Read {
  readonly statements: readonly Statement[]
  readonly length: number
}

/** Tries to decode the expressions at an index; `undefined` if the expressions form another statement. */
export type Reader = (reading: Reading, at: number) => Read | undefined

export const read = (length: number, ...statements: readonly Statement[]): Read => ({ statements, length })
