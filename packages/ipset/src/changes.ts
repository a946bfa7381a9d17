import type { SetEntry, SetSpec } from './spec-types.ts'

/** One step of what is done to the sets of a namespace; all values are checked already. */
export type Change =
  | { readonly verb: 'create'; readonly set: string; readonly spec: SetSpec }
  | { readonly verb: 'destroy' | 'flush'; readonly set: string }
  | { readonly verb: 'swap' | 'rename'; readonly set: string; readonly other: string }
  | EntryChange

/** Entries to write, in their order. */
export interface EntryChange {
  readonly verb: 'add' | 'del'
  readonly set: string
  readonly entries: readonly SetEntry[]
}

/** Entries to write, as a change; without any nothing is to be done. */
export const entryChange = (verb: EntryChange['verb'], set: string, entries: readonly SetEntry[]): EntryChange[] =>
  entries.length === 0 ? [] : [{ verb, set, entries }]
