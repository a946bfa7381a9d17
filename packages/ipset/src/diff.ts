import { canonicalText, checkEntry, entryWords } from './entry.ts'
import { invalid, SetError } from './errors.ts'
import type { SavedSet } from './parse-save.ts'
import { maxelemOf, rangeOf } from './spec.ts'
import type { AnyEntry, SetEntry, SetSpec } from './spec-types.ts'

/** Differences between an IP set in the kernel and the wanted entries. Counters and remaining time are ignored. */
export interface EntryDiff {
  /** Wanted entries that the set lacks. */
  readonly missing: readonly SetEntry[]
  /** Entries of the set that are not wanted. */
  readonly unexpected: readonly SetEntry[]
  /**
   * Wanted entries that the set contains with another comment or `nomatch`. Also entries with a time-out on one side
   * only.
   */
  readonly changed: readonly SetEntry[]
}

/** Validates the entries that a set shall have. Repeated entries must have equal options. */
export function wantedEntries(
  name: string,
  spec: SetSpec,
  entries: AnyEntry | readonly AnyEntry[],
): Map<string, SetEntry> {
  const wanted = new Map<string, SetEntry>()
  for (const each of asList<AnyEntry>(entries)) {
    const entry = checkEntry(name, spec, each)
    const twin = wanted.get(entry.entry)
    if (twin !== undefined && entryWords(twin) !== entryWords(entry)) {
      invalid(`set ${name}: the entry ${entry.entry} is given twice, with different options`)
    }
    wanted.set(entry.entry, entry)
  }
  const room = maxelemOf(spec)
  if (wanted.size > room) {
    throw new SetError(
      'FULL',
      `set ${name}: ${wanted.size} entries, but its maxelem is ${room}; raise maxelem in its spec`,
    )
  }
  return wanted
}

/** Compares the entries that a set shall have with the entries in the kernel. */
export function diffEntries(spec: SetSpec, wanted: ReadonlyMap<string, SetEntry>, there: SavedSet): EntryDiff {
  const found = new Map<string, SetEntry>()
  const unexpected: SetEntry[] = []
  for (const each of there.entries) {
    const key = canonicalText(spec, each.entry)
    if (key !== undefined && wanted.has(key)) found.set(key, each)
    else unexpected.push(each)
  }
  const missing: SetEntry[] = []
  const changed: SetEntry[] = []
  for (const [key, entry] of wanted) {
    const other = found.get(key)
    if (other === undefined) missing.push(entry)
    else if (!sameEntry(spec, entry, other)) changed.push(entry)
  }
  return { missing, unexpected, changed }
}

/** True if the set in the kernel has exactly the wanted entries. */
export const isEqual = ({ missing, unexpected, changed }: EntryDiff): boolean =>
  missing.length + unexpected.length + changed.length === 0

/** True if the kernel's set has the options of the spec. Ignores the hash size, which the kernel enlarges. */
export function sameHeader(spec: SetSpec, there: SavedSet): boolean {
  return (
    otherKind(spec, there) === undefined &&
    there.other.length === 0 &&
    there.timeoutSeconds === spec.timeoutSeconds &&
    there.comment === (spec.comment || undefined) &&
    there.counters === (spec.counters || undefined) &&
    (there.maxelem ?? Number.POSITIVE_INFINITY) === maxelemOf(spec) &&
    (spec.type !== 'bitmap:port' || there.range === rangeOf(spec).join('-'))
  )
}

/** Type and family of an existing set, if one differs from the spec. The kernel cannot swap such sets. */
export function otherKind(spec: SetSpec, there: SavedSet): string | undefined {
  const family = 'family' in spec ? spec.family : undefined
  const sameFamily = family === undefined || there.family === family
  return spec.type === there.type && sameFamily ? undefined : [there.type, there.family].filter(Boolean).join(', ')
}

/** Returns a list of entries unchanged. Puts a single entry into a list. */
export const asList = <E>(entries: E | readonly E[]): readonly E[] => (isList(entries) ? entries : [entries])

// internal

const isList = <E>(entries: E | readonly E[]): entries is readonly E[] => Array.isArray(entries)

function sameEntry(spec: SetSpec, wanted: SetEntry, there: SetEntry): boolean {
  return (
    wanted.comment === there.comment &&
    wanted.nomatch === there.nomatch &&
    ((wanted.timeoutSeconds ?? spec.timeoutSeconds ?? 0) === 0) === ((there.timeoutSeconds ?? 0) === 0)
  )
}
