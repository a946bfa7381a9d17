import { type Work, withNft } from '../apply/work.ts'
import type { NamedSet, SetElement } from '../rules/model.ts'
import type { Nft } from '../wire/nft.ts'
import type { TableName } from '../wire/specs.ts'
import type { ElementDiff, Elements } from './element-diff.ts'

/**
 * A named set or map of a table that is there. Everything is checked before anything is asked of the kernel, and each call
 * is one transaction: all of it or none. Throws `NftError`: `NOT_FOUND` without the set.
 */
export interface TableSet {
  readonly name: string
  readonly spec: NamedSet
  /** Makes the set, with the elements of its spec. One that is there is left; another kind of set is `EXISTS`. */
  create(): Promise<void>
  /** Removes it; what is not there is fine. `REFUSED` while a rule looks into it. */
  destroy(): Promise<void>
  /** Adds elements; one that is there gets the new value, comment and time. */
  add(elements: Elements): Promise<void>
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
  diff(elements: Elements): Promise<ElementDiff>
  /** Gives it exactly these elements; what stays is not touched. */
  replace(elements: Elements): Promise<'unchanged' | 'replaced'>
}

/** A set by its table and what it is; nothing happens before the first call. */
export function tableSet(work: Work, table: TableName, spec: NamedSet): TableSet {
  const load = () => import('./operations.ts')
  const run = async <T>(act: (module: Awaited<ReturnType<typeof load>>, nft: Nft) => T): Promise<T> => {
    const module = await load()
    return withNft(work, (nft) => act(module, nft))
  }
  return {
    name: spec.name,
    spec,
    create: () => run(({ createSet }, nft) => createSet(nft, table, spec)),
    destroy: () => run(({ destroySet }, nft) => destroySet(nft, table, spec)),
    add: (elements) => run(({ addTo }, nft) => addTo(nft, table, spec, elements)),
    delete: (keys) => run(({ deleteFrom }, nft) => deleteFrom(nft, table, spec, keys)),
    flush: () => run(({ flushSet }, nft) => flushSet(nft, table, spec)),
    list: () => run(({ listOf }, nft) => listOf(nft, table, spec)),
    get: (key) => run(({ elementOf }, nft) => elementOf(nft, table, spec, key)),
    has: (key) => run(({ finds }, nft) => finds(nft, table, spec, key)),
    diff: (elements) => run(({ diffOf }, nft) => diffOf(nft, table, spec, elements)),
    replace: (elements) => run(({ replaceElements }, nft) => replaceElements(nft, table, spec, elements)),
  }
}
