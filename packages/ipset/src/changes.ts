import type { SetEntry, SetSpec } from './spec-types.ts'

/** A change of the sets of a namespace. All values are validated. */
export type Change =
  | { readonly verb: 'create'; readonly set: string; readonly spec: SetSpec }
  | { readonly verb: 'destroy' | 'flush'; readonly set: string }
  | { readonly verb: 'swap' | 'rename'; readonly set: string; readonly other: string }
  | EntryChange

/** Entries to write, in order. */
export interface EntryChange {
  readonly verb: 'add' | 'del'
  readonly set: string
  readonly entries: readonly SetEntry[]
}

/** A change that writes entries. Returns no change without entries. */
export const entryChange = (verb: EntryChange['verb'], set: string, entries: readonly SetEntry[]): EntryChange[] =>
  entries.length === 0 ? [] : [{ verb, set, entries }]
