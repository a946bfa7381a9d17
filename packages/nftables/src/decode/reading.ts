import type { Statement } from '../rules/statement.ts'
import type { NftElement, NftSet } from '../wire/dumps/set-records.ts'
import type { Expression } from '../wire/expressions/expression-types.ts'
import type { Context } from './loads.ts'

/** A set of the table that a rule looks into. */
export interface SetRecord {
  readonly set: NftSet
  readonly elements: readonly NftElement[]
}

/** The sets of a table by their names, those without a name, `__set3`, among them. */
export type Sets = ReadonlyMap<string, SetRecord>

/** A rule that is being read. */
export interface Reading {
  readonly expressions: readonly Expression[]
  readonly sets: Sets
  /** What its statements said so far. */
  readonly context: Context
}

/** Some expressions that are understood, and how many they are. */
export interface Read {
  readonly statements: readonly Statement[]
  readonly length: number
}

/** Tries to read what begins at a place; `undefined` when it is something else. */
export type Reader = (reading: Reading, at: number) => Read | undefined

export const read = (length: number, ...statements: readonly Statement[]): Read => ({ statements, length })
