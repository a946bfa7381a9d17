import { entryChange } from './changes.ts'
import { asList, desiredEntries, diffEntries, type EntryDiff } from './diff.ts'
import { canonicalText, checkEntry, checkText } from './entry.ts'
import { invalid, SetError } from './errors.ts'
import { replaceEntries } from './replace.ts'
import type { IpsetSession } from './session.ts'
import type { AnyEntry, Entry, EntryText, SetEntry, SetSpec } from './spec-types.ts'
import { checkComment } from './values.ts'

/**
 * IP set of a namespace. Entries are validated before any request to the kernel. `exist` permits
 * adding an existing set or entry, and deleting a missing one. Default: true, as with `ipset -exist`.
 */
export interface IpSet<S extends SetSpec = SetSpec> {
  readonly name: string
  readonly spec: S
  /** Creates the set in the kernel. Throws `EXISTS` if a set of the same name has other options. */
  create(options?: { readonly exist?: boolean | undefined }): Promise<void>
  /** Deletes the set. Throws `IN_USE` while a packet filter rule or another set refers to the set. */
  destroy(options?: { readonly exist?: boolean | undefined }): Promise<void>
  /**
   * Adds entries to the set. An existing entry gets the new comment, time-out and `nomatch`. Entries before a refused
   * entry stay in the set.
   */
  add(entries: Entry<S> | readonly Entry<S>[], options?: { readonly exist?: boolean | undefined }): Promise<void>
  /** Deletes entries from the set by their text. */
  delete(
    entries: EntryText<S> | readonly EntryText<S>[],
    options?: { readonly exist?: boolean | undefined },
  ): Promise<void>
  /** Deletes all entries of the set that have the given comment, and returns the deleted entries. */
  deleteByComment(comment: string): Promise<SetEntry[]>
  /** Deletes all entries of the set. */
  flush(): Promise<void>
  /** Entries of the set, in the order in which the kernel lists them. */
  list(): Promise<SetEntry[]>
  /** Reads one entry with its comment, counters and remaining time. `undefined` if the set lacks the entry. */
  get(entry: EntryText<S>): Promise<SetEntry | undefined>
  /**
   * True if a packet with this address would match the set. Addresses in a network match, unless the network has
   * `nomatch`.
   */
  test(entry: EntryText<S>): Promise<boolean>
  /** Differences between the set in the kernel and `entries`. */
  diff(entries: Entry<S> | readonly Entry<S>[]): Promise<EntryDiff>
  /** Gives the set exactly the given entries, atomically. Creates the set if it is missing. */
  replace(
    entries: Entry<S> | readonly Entry<S>[],
    options?: {
      /**
       * Method of the replacement. `'swap'` (default) fills a temporary set and swaps both sets in one step. Counters
       * and time-outs restart with a swap. `'change'` adds and deletes only the entries that differ.
       */
      readonly by?: 'swap' | 'change' | undefined
      /** True to read the set first and to change nothing if it already has the given entries. Default: true. */
      readonly compare?: boolean | undefined
    },
  ): Promise<{
    readonly plan: 'unchanged' | 'swap' | 'change'
    /**
     * Differences between the set's old entries and the given entries. `undefined` if the set did not exist, or if the
     * option `compare` is false.
     */
    readonly diff: EntryDiff | undefined
  }>
}

/** Creates an `IpSet`. Its methods send their requests through `session`. Name and spec are already validated. */
export function makeSet<const S extends SetSpec>(session: IpsetSession, name: string, spec: S): IpSet<S> {
  const saved = async () => {
    const found = await session.save(name)
    if (found === undefined) throw new SetError('NOT_FOUND', `set ${name} does not exist; create it first`)
    return found
  }
  const list = async () =>
    (await saved()).entries.map((each) => ({ ...each, entry: canonicalText(spec, each.entry) ?? each.entry }))
  return {
    name,
    spec,
    create: ({ exist = true } = {}) => session.change([{ verb: 'create', set: name, spec }], { exist }),
    destroy: ({ exist = true } = {}) => session.change([{ verb: 'destroy', set: name }], { exist }),
    async add(entries, { exist = true } = {}) {
      const checked = asList<AnyEntry>(entries).map((each) => checkEntry(name, spec, each))
      await session.change(entryChange('add', name, checked), { exist })
    },
    async delete(entries, { exist = true } = {}) {
      const checked = asList<string>(entries).map((each) => {
        if (typeof each !== 'string') invalid(`set ${name}: delete takes entries as text, got ${JSON.stringify(each)}`)
        return { entry: checkText(`set ${name}`, spec, each) }
      })
      await session.change(entryChange('del', name, checked), { exist })
    },
    async deleteByComment(comment) {
      checkComment(comment, `set ${name}`)
      const found = (await list()).filter((each) => each.comment === comment)
      await session.change(entryChange('del', name, found), { exist: true })
      return found
    },
    flush: () => session.change([{ verb: 'flush', set: name }], { exist: false }),
    list,
    async get(entry) {
      const text = checkText(`set ${name}`, spec, entry)
      return (await list()).find((each) => each.entry === text)
    },
    test: async (entry) => session.test(name, checkText(`set ${name}`, spec, entry)),
    async diff(entries) {
      const desired = desiredEntries(name, spec, entries)
      return diffEntries(spec, desired, await saved())
    },
    async replace(entries, options = {}) {
      return replaceEntries(session, name, spec, desiredEntries(name, spec, entries), options)
    },
  }
}
