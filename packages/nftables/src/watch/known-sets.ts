import type { SetRecord, Sets } from '../decode/reading.ts'
import { readRecords } from '../decode/records.ts'
import type { Change } from '../wire/events/commits.ts'
import type { Nft } from '../wire/nft.ts'
import type { TableName } from '../wire/specs.ts'

const keyOf = ({ family, table }: TableName): string => `${family} ${table}`
const NONE: Sets = new Map()

/** Copy of the kernel's sets. Includes anonymous sets, because a rule's text contains their elements. */
export class KnownSets {
  #tables: Map<string, Map<string, SetRecord>> = new Map()

  /** Reads all sets from the kernel: at the start, and after lost events. */
  async read(nft: Nft): Promise<void> {
    const tables = await nft.read(() => readRecords(nft))
    this.#tables = new Map(tables.map(({ table, sets }) => [keyOf(table), new Map(sets)]))
  }

  /** Sets of a table, by name. */
  of(name: TableName): Sets {
    return this.#tables.get(keyOf(name)) ?? NONE
  }

  /** Adds the set or elements of an event to the copy of the kernel's sets. */
  add(change: Change): void {
    if (change.kind === 'set' && change.action === 'add') this.#put(change.set, { set: change.set, elements: [] })
    if (change.kind !== 'element') return
    const record = this.of(change.set).get(change.set.set)
    if (record === undefined) return
    this.#put(change.set, { ...record, elements: [...record.elements, ...change.elements] })
  }

  /** Removes an object from the copy. The caller first creates the event's text, which contains the elements. */
  delete(change: Change): void {
    if (change.kind === 'table') this.#tables.delete(keyOf(change.table))
    if (change.kind === 'set') this.#tables.get(keyOf(change.set))?.delete(change.set.set)
  }

  #put(name: TableName, record: SetRecord): void {
    const sets = this.#tables.get(keyOf(name)) ?? new Map<string, SetRecord>()
    this.#tables.set(keyOf(name), sets.set(record.set.set, record))
  }
}
