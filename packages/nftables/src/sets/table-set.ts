import { transactWith } from '../apply/transaction.ts'
import { retryOptionsOf, rollbackOf, type Work, withNft } from '../apply/work.ts'
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
 * Named set or map of an existing table. Elements are plain keys, or keys with data, comment or timeout. Arguments are
 * validated before any request. Each call is one transaction. The context's `undo` rolls the transaction back. Throws
 * `NftError`: `NOT_FOUND` if the set does not exist.
 */
export interface TableSet {
  readonly name: string
  readonly spec: NamedSet
  /**
   * Creates the set with the elements of its spec. Leaves an existing set unchanged. Throws `EXISTS` if the existing
   * set's type differs.
   */
  create(): Promise<void>
  /** Deletes the set if it exists. Throws `REFUSED` while a rule uses the set. */
  destroy(): Promise<void>
  /** Adds elements to the set. An existing element gets the new data, comment and timeout. */
  add(elements: readonly (SetElement | SetElement['key'])[]): Promise<void>
  /** Deletes elements of the set by their keys. Ignores missing elements. */
  delete(keys: readonly SetElement['key'][]): Promise<void>
  /** Deletes all elements of the set. */
  flush(): Promise<void>
  /** Returns the elements of the set, sorted. */
  list(): Promise<readonly SetElement[]>
  /** Returns the set's element with the given key, or `undefined` if the set has no such element. */
  get(key: SetElement['key']): Promise<SetElement | undefined>
  /** True if a rule would find the key in the set. An address in a network of the set is found. */
  has(key: SetElement['key']): Promise<boolean>
  /** Differences between the set's elements in the kernel and the given elements. */
  diff(elements: readonly (SetElement | SetElement['key'])[]): Promise<{
    /** Elements of `elements` that the kernel lacks, or has with other data, comment or timeout. */
    readonly missing: readonly SetElement[]
    /** Elements in the kernel that `elements` lacks, or contains with other data, comment or timeout. */
    readonly unexpected: readonly SetElement[]
  }>
  /** Changes the set to have exactly the given elements. Does not touch equal elements. */
  replace(elements: readonly (SetElement | SetElement['key'])[]): Promise<'unchanged' | 'replaced'>
}

/** Creates the methods for a named set of a table. */
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

/** Commits the changes that the function `plan` adds to a batch. Prepares a rollback if the context has `undo`. */
function edit<T>(work: Work, nft: Nft, table: TableName, plan: (batch: Batch) => T): Promise<T> {
  if (work.context.undo === undefined) return nft.transact(plan, retryOptionsOf(work))
  return transactWith(nft, { work, tables: [table], rollback: rollbackOf(work) }, plan)
}
