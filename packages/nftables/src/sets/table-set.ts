import { transactWith } from '../apply/transaction.ts'
import { patienceOf, type Work, wayBack, withNft } from '../apply/work.ts'
import type { NamedSet, SetElement } from '../rules/model.ts'
import type { Batch } from '../wire/batch/batch.ts'
import type { Nft } from '../wire/nft.ts'
import type { TableName } from '../wire/specs.ts'
import {
  addTo,
  createSet,
  deleteFrom,
  destroySet,
  diffOf,
  type Editing,
  elementOf,
  finds,
  flushSet,
  listOf,
  replaceElements,
} from './operations.ts'

/**
 * A named set or map of a table that is there. Elements are keys alone, or with a value, a comment, a time. Everything is
 * checked before anything is asked of the kernel, and each call is one transaction: all of it or none, which the `undo` of a context takes back. Throws `NftError`: `NOT_FOUND` without the set.
 */
export interface TableSet {
  readonly name: string
  readonly spec: NamedSet
  /** Makes the set, with the elements of its spec. One that is there is left; another kind of set is `EXISTS`. */
  create(): Promise<void>
  /** Removes it; what is not there is fine. `REFUSED` while a rule looks into it. */
  destroy(): Promise<void>
  /** Adds elements; one that is there gets the new value, comment and time. */
  add(elements: readonly (SetElement | SetElement['key'])[]): Promise<void>
  /** Deletes elements by their keys; what is not there is fine. */
  delete(keys: readonly SetElement['key'][]): Promise<void>
  /** Deletes all elements. */
  flush(): Promise<void>
  /** What it holds, sorted. */
  list(): Promise<readonly SetElement[]>
  /** The element of a key, `undefined` when there is none. */
  get(key: SetElement['key']): Promise<SetElement | undefined>
  /** Whether a rule would find it: an address inside a network counts. */
  has(key: SetElement['key']): Promise<boolean>
  /** How the content differs from these elements. */
  diff(elements: readonly (SetElement | SetElement['key'])[]): Promise<{
    /** Wanted, not there; or there with another value, comment or time. */
    readonly missing: readonly SetElement[]
    /** There, not wanted; or there otherwise. */
    readonly unexpected: readonly SetElement[]
  }>
  /** Gives it exactly these elements; what stays is not touched. */
  replace(elements: readonly (SetElement | SetElement['key'])[]): Promise<'unchanged' | 'replaced'>
}

/** A set by its table and what it is; nothing happens before the first call. */
export function tableSet(work: Work, table: TableName, spec: NamedSet): TableSet {
  const run = <T>(act: (editing: Editing) => Promise<T>): Promise<T> =>
    withNft(work, (nft) => act({ nft, edit: (plan) => edit(work, nft, table, plan) }))
  return {
    name: spec.name,
    spec,
    create: () => run((editing) => createSet(editing, table, spec)),
    destroy: () => run((editing) => destroySet(editing, table, spec)),
    add: (elements) => run((editing) => addTo(editing, table, spec, elements)),
    delete: (keys) => run((editing) => deleteFrom(editing, table, spec, keys)),
    flush: () => run((editing) => flushSet(editing, table, spec)),
    list: () => run((editing) => listOf(editing, table, spec)),
    get: (key) => run((editing) => elementOf(editing, table, spec, key)),
    has: (key) => run((editing) => finds(editing, table, spec, key)),
    diff: (elements) => run((editing) => diffOf(editing, table, spec, elements)),
    replace: (elements) => run((editing) => replaceElements(editing, table, spec, elements)),
  }
}

/** Commits a plan. Only the context of a call has a use for the way back. */
function edit<T>(work: Work, nft: Nft, table: TableName, plan: (batch: Batch) => T): Promise<T> {
  if (work.place.undo === undefined) return nft.transact(plan, patienceOf(work))
  return transactWith(nft, { work, tables: [table], back: wayBack(work) }, plan)
}
