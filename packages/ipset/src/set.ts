import { entryChange } from './changes.ts'
import { asList, diffEntries, type EntryDiff, wantedEntries } from './diff.ts'
import { canonicalText, checkEntry, checkText } from './entry.ts'
import { invalid, SetError } from './errors.ts'
import { replaceEntries } from './replace.ts'
import type { IpsetSession } from './session.ts'
import type { AnyEntry, Entry, EntryText, SetEntry, SetSpec } from './spec-types.ts'
import { checkComment } from './values.ts'

/**
 * One set of a namespace. All entries are checked before anything is asked of the kernel. `exist` is like the option of
 * `ipset`: what is there already, or gone already, is no error. Default: true.
 */
export interface IpSet<S extends SetSpec = SetSpec> {
  readonly name: string
  readonly spec: S
  /** Makes the set. One with the same name and other options is an error (`EXISTS`). */
  create(options?: { readonly exist?: boolean | undefined }): Promise<void>
  /** Removes it; `IN_USE` while a rule or a set refers to it. */
  destroy(options?: { readonly exist?: boolean | undefined }): Promise<void>
  /** Adds entries; one that is there gets the new comment, time-out and `nomatch`. Those before a refused one stay. */
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
  /** What it holds, in the kernel's order. */
  list(): Promise<SetEntry[]>
  /** One entry with its comment, counters and time left, `undefined` when there is none. */
  get(entry: EntryText<S>): Promise<SetEntry | undefined>
  /** Whether the kernel would match: an address inside a network counts, `nomatch` too. */
  test(entry: EntryText<S>): Promise<boolean>
  /** How the content differs from `entries`. */
  diff(entries: Entry<S> | readonly Entry<S>[]): Promise<EntryDiff>
  /** Gives it exactly these entries, and makes it when it is not there; all or nothing. */
  replace(
    entries: Entry<S> | readonly Entry<S>[],
    options?: {
      /**
       * `'swap'` (default): a new set takes the place of the old one in one step; packets see all of the old or all of
       * the new, counters and time-outs begin again. `'change'`: adds and deletes only what differs.
       */
      readonly by?: 'swap' | 'change' | undefined
      /** Reads the set first and leaves it alone when it is equal. Default: true. */
      readonly compare?: boolean | undefined
    },
  ): Promise<{
    readonly plan: 'unchanged' | 'swap' | 'change'
    /** The differences; `undefined` when nothing was compared, or there was no such set. */
    readonly diff: EntryDiff | undefined
  }>
}

/** A set over a session; name and spec are checked already. */
export function makeSet<const S extends SetSpec>(session: IpsetSession, name: string, spec: S): IpSet<S> {
  const saved = async () => {
    const found = await session.save(name)
    if (found === undefined) throw new SetError('NOT_FOUND', `set ${name} is not there; create it first`)
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
        if (typeof each !== 'string') invalid(`set ${name}: entries are deleted by their text`)
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
