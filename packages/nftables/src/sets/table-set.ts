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
 * A named set or map of an existing table. Elements are plain keys, or keys with data, comment or timeout. Arguments
 * are validated before any request. Each call is one transaction, which the context's `undo` rolls back. Throws
 * `NftError`: `NOT_FOUND` if the set does not exist.
 */
export interface TableSet {
  readonly name: string
  readonly spec: NamedSet
  /**
   * Creates the set with the elements of its spec. Leaves an existing set unchanged; throws `EXISTS` if its type
   * differs.
   */
  create(): Promise<void>
  /** Deletes the set if it exists. Throws `REFUSED` while a rule uses it. */
  destroy(): Promise<void>
  /** Adds elements. An existing element gets the new data, comment and timeout. */
  add(elements: readonly (SetElement | SetElement['key'])[]): Promise<void>
  /** Deletes elements by their keys. Missing elements are ignored. */
  delete(keys: readonly SetElement['key'][]): Promise<void>
  /** Deletes all elements of the set. */
  flush(): Promise<void>
  /** Returns the elements of the set, sorted. */
  list(): Promise<readonly SetElement[]>
  /** Element with a key; `undefined` if it is missing. */
  get(key: SetElement['key']): Promise<SetElement | undefined>
  /** True if a rule would find the key. An address in a network of the set is found. */
  has(key: SetElement['key']): Promise<boolean>
  /** Differences between the content and these elements. */
  diff(elements: readonly (SetElement | SetElement['key'])[]): Promise<{
    /** Wanted elements that are missing, or that have other data, comment or timeout. */
    readonly missing: readonly SetElement[]
    /** Existing elements that are not wanted, or that differ. */
    readonly unexpected: readonly SetElement[]
  }>
  /** Replaces the content by exactly these elements. Equal elements are not touched. */
  replace(elements: readonly (SetElement | SetElement['key'])[]): Promise<'unchanged' | 'replaced'>
}

/** A set by table and spec. No request is sent before the first call. */
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

/** Commits a plan. Only a plugin's context needs the rollback. */
function edit<T>(work: Work, nft: Nft, table: TableName, plan: (batch: Batch) => T): Promise<T> {
  if (work.place.undo === undefined) return nft.transact(plan, patienceOf(work))
  return transactWith(nft, { work, tables: [table], back: wayBack(work) }, plan)
}
