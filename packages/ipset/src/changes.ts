import type { SetEntry, SetSpec } from './spec-types.ts'

/** A change of a namespace's IP sets, with validated names, specs and entries. */
export type Change =
  | { readonly verb: 'create'; readonly set: string; readonly spec: SetSpec }
  | { readonly verb: 'destroy' | 'flush'; readonly set: string }
  | { readonly verb: 'swap' | 'rename'; readonly set: string; readonly other: string }
  | EntryChange

/** Entries to add to an IP set or to delete from it, in order. */
export interface EntryChange {
  readonly verb: 'add' | 'del'
  readonly set: string
  readonly entries: readonly SetEntry[]
}

/** Creates the change that adds or deletes entries. Returns an empty list if there are no entries. */
export const entryChange = (verb: EntryChange['verb'], set: string, entries: readonly SetEntry[]): EntryChange[] =>
  entries.length === 0 ? [] : [{ verb, set, entries }]
