import { canonicalText, checkEntry, entryWords } from './entry.ts'
import { invalid, SetError } from './errors.ts'
import type { SavedSet } from './parse-save.ts'
import { maxelemOf, rangeOf } from './spec.ts'
import type { AnyEntry, SetEntry, SetSpec } from './spec-types.ts'

/** Differences between an IP set in the kernel and the desired entries. Counters and remaining time are ignored. */
export interface EntryDiff {
  /** Desired entries that the set lacks. */
  readonly missing: readonly SetEntry[]
  /** Entries of the set that are not desired. */
  readonly unexpected: readonly SetEntry[]
  /**
   * Desired entries that the set contains with another comment or `nomatch`. Also entries with a time-out on one side
   * only.
   */
  readonly changed: readonly SetEntry[]
}

/** Validates the entries that a set shall have. Repeated entries must have equal options. */
export function desiredEntries(
  name: string,
  spec: SetSpec,
  entries: AnyEntry | readonly AnyEntry[],
): Map<string, SetEntry> {
  const desired = new Map<string, SetEntry>()
  for (const each of asList<AnyEntry>(entries)) {
    const entry = checkEntry(name, spec, each)
    const duplicate = desired.get(entry.entry)
    if (duplicate !== undefined && entryWords(duplicate) !== entryWords(entry)) {
      invalid(`set ${name}: the entry ${entry.entry} is given twice, with different options`)
    }
    desired.set(entry.entry, entry)
  }
  const maxelem = maxelemOf(spec)
  if (desired.size > maxelem) {
    throw new SetError(
      'FULL',
      `set ${name}: ${desired.size} entries, but its maxelem is ${maxelem}; raise maxelem in its spec`,
    )
  }
  return desired
}

/** Compares the entries that a set shall have with the entries in the kernel. */
export function diffEntries(spec: SetSpec, desired: ReadonlyMap<string, SetEntry>, present: SavedSet): EntryDiff {
  const found = new Map<string, SetEntry>()
  const unexpected: SetEntry[] = []
  for (const each of present.entries) {
    const key = canonicalText(spec, each.entry)
    if (key !== undefined && desired.has(key)) found.set(key, each)
    else unexpected.push(each)
  }
  const missing: SetEntry[] = []
  const changed: SetEntry[] = []
  for (const [key, entry] of desired) {
    const other = found.get(key)
    if (other === undefined) missing.push(entry)
    else if (!sameEntry(spec, entry, other)) changed.push(entry)
  }
  return { missing, unexpected, changed }
}

/** True if the set in the kernel has exactly the desired entries. */
export const isEqual = ({ missing, unexpected, changed }: EntryDiff): boolean =>
  missing.length + unexpected.length + changed.length === 0

/** True if the kernel's set has the options of the spec. Ignores the hash size, which the kernel enlarges. */
export function sameHeader(spec: SetSpec, present: SavedSet): boolean {
  return (
    otherKind(spec, present) === undefined &&
    present.other.length === 0 &&
    present.timeoutSeconds === spec.timeoutSeconds &&
    present.comment === (spec.comment || undefined) &&
    present.counters === (spec.counters || undefined) &&
    (present.maxelem ?? Number.POSITIVE_INFINITY) === maxelemOf(spec) &&
    (spec.type !== 'bitmap:port' || present.range === rangeOf(spec).join('-'))
  )
}

/** Type and family of an existing set, if one differs from the spec. The kernel cannot swap such sets. */
export function otherKind(spec: SetSpec, present: SavedSet): string | undefined {
  const family = 'family' in spec ? spec.family : undefined
  const sameFamily = family === undefined || present.family === family
  return spec.type === present.type && sameFamily
    ? undefined
    : [present.type, present.family].filter(Boolean).join(', ')
}

/** Returns a list of entries unchanged. Puts a single entry into a list. */
export const asList = <E>(entries: E | readonly E[]): readonly E[] => (isList(entries) ? entries : [entries])

// internal

const isList = <E>(entries: E | readonly E[]): entries is readonly E[] => Array.isArray(entries)

function sameEntry(spec: SetSpec, desired: SetEntry, present: SetEntry): boolean {
  return (
    desired.comment === present.comment &&
    desired.nomatch === present.nomatch &&
    ((desired.timeoutSeconds ?? spec.timeoutSeconds ?? 0) === 0) === ((present.timeoutSeconds ?? 0) === 0)
  )
}
