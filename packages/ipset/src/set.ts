import { entryChange } from './changes.ts'
import { asList, diffEntries, type EntryDiff, wantedEntries } from './diff.ts'
import { canonicalText, checkEntry, checkText } from './entry.ts'
import { invalid, SetError } from './errors.ts'
import { replaceEntries } from './replace.ts'
import type { IpsetSession } from './session.ts'
import type { AnyEntry, Entry, EntryText, SetEntry, SetSpec } from './spec-types.ts'
import { checkComment } from './values.ts'

/**
 * A set of a namespace. Entries are validated before any request. `exist` is like the option of `ipset`: existing or
 * missing objects are not an error. Default: true.
 */
export interface IpSet<S extends SetSpec = SetSpec> {
  readonly name: string
  readonly spec: S
  /** Creates the set. Throws `EXISTS` if a set of this name has other options. */
  create(options?: { readonly exist?: boolean | undefined }): Promise<void>
  /** Deletes the set. Throws `IN_USE` while a rule or a set refers to it. */
  destroy(options?: { readonly exist?: boolean | undefined }): Promise<void>
  /**
   * Adds entries. An existing entry gets the new comment, time-out and `nomatch`. Entries before a refused one stay.
   */
  add(entries: Entry<S> | readonly Entry<S>[], options?: { readonly exist?: boolean | undefined }): Promise<void>
  /** Deletes entries by their text. */
  delete(
    entries: EntryText<S> | readonly EntryText<S>[],
    options?: { readonly exist?: boolean | undefined },
  ): Promise<void>
  /** Deletes all entries with this comment and returns them. */
  deleteByComment(comment: string): Promise<SetEntry[]>
  /** Deletes all entries. */
  flush(): Promise<void>
  /** Entries in the kernel's order. */
  list(): Promise<SetEntry[]>
  /** An entry with its comment, counters and remaining time; `undefined` if it is missing. */
  get(entry: EntryText<S>): Promise<SetEntry | undefined>
  /** True if the kernel would match the entry. An address in a network of the set matches; `nomatch` is respected. */
  test(entry: EntryText<S>): Promise<boolean>
  /** Differences between the content and `entries`. */
  diff(entries: Entry<S> | readonly Entry<S>[]): Promise<EntryDiff>
  /** Gives the set exactly these entries, atomically. Creates a missing set. */
  replace(
    entries: Entry<S> | readonly Entry<S>[],
    options?: {
      /**
       * Method. `'swap'` (default): swaps in a new set in one step. Packets see either the old or the new content;
       * counters and time-outs restart. `'change'`: adds and deletes only the differences.
       */
      readonly by?: 'swap' | 'change' | undefined
      /** Reads the set first, and changes nothing if it is equal. Default: true. */
      readonly compare?: boolean | undefined
    },
  ): Promise<{
    readonly plan: 'unchanged' | 'swap' | 'change'
    /** Differences; `undefined` if nothing was compared, or if the set did not exist. */
    readonly diff: EntryDiff | undefined
  }>
}

/** A set over a session. Name and spec are validated already. */
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
      const wanted = wantedEntries(name, spec, entries)
      return diffEntries(spec, wanted, await saved())
    },
    async replace(entries, options = {}) {
      return replaceEntries(session, name, spec, wantedEntries(name, spec, entries), options)
    },
  }
}
