import { createHash, randomBytes } from 'node:crypto'
import { type Change, entryChange } from './changes.ts'
import { diffEntries, type EntryDiff, isEqual, otherKind, sameHeader } from './diff.ts'
import { canonicalText } from './entry.ts'
import { SetError } from './errors.ts'
import type { IpsetSession } from './session.ts'
import type { SetEntry, SetSpec } from './spec-types.ts'

/** Gives a set exactly the given entries. A failed replacement keeps or restores the old content. */
export async function replaceEntries(
  session: IpsetSession,
  name: string,
  spec: SetSpec,
  desired: ReadonlyMap<string, SetEntry>,
  { by = 'swap', compare = true }: { by?: 'swap' | 'change' | undefined; compare?: boolean | undefined },
): Promise<{ plan: 'unchanged' | 'swap' | 'change'; diff: EntryDiff | undefined }> {
  const present = compare || by === 'change' ? await session.save(name) : undefined
  const kind = present && otherKind(spec, present)
  if (kind !== undefined) {
    throw new SetError('EXISTS', `set ${name} exists with another type (${kind}); destroy it, or use another name`)
  }
  const diff = present && diffEntries(spec, desired, present)
  if (present !== undefined && diff !== undefined && sameHeader(spec, present)) {
    if (isEqual(diff)) return { plan: 'unchanged', diff }
    if (by === 'change') {
      await change(session, name, spec, diff, present.entries)
      return { plan: 'change', diff }
    }
  }
  await swap(session, name, spec, [...desired.values()], present !== undefined)
  return { plan: 'swap', diff }
}

// internal

async function swap(session: IpsetSession, name: string, spec: SetSpec, entries: readonly SetEntry[], known: boolean) {
  const temporary = temporaryName(name)
  const changes: Change[] = [
    { verb: 'create', set: temporary, spec },
    ...entryChange('add', temporary, entries),
    // Creates the set only after the kernel has accepted all entries in the temporary set.
    ...(known ? [] : [{ verb: 'create', set: name, spec } as const]),
    { verb: 'swap', set: temporary, other: name },
    { verb: 'destroy', set: temporary },
  ]
  try {
    await session.change(changes, { exist: true })
  } catch (error) {
    const warning = `set ${temporary} could not be removed`
    await rollBack(session, warning, async () => [{ verb: 'destroy', set: temporary }])
    throw error
  }
}

async function change(
  session: IpsetSession,
  name: string,
  spec: SetSpec,
  diff: EntryDiff,
  before: readonly SetEntry[],
) {
  try {
    await session.change(entryChanges(name, diff), { exist: true })
  } catch (error) {
    await rollBack(session, `set ${name} could not be rolled back`, async () => {
      // Reads the set again, because the error does not tell which changes the kernel made.
      const now = await session.save(name, { uncancelled: true })
      if (now === undefined) return []
      const old = new Map(before.map((each) => [canonicalText(spec, each.entry) ?? each.entry, each]))
      return entryChanges(name, diffEntries(spec, old, now))
    })
    throw error
  }
}

/**
 * Converts differences of a set to changes. An `add` of an existing entry updates its comment, `nomatch` and time-out.
 */
const entryChanges = (name: string, { missing, unexpected, changed }: EntryDiff) => [
  ...entryChange('del', name, unexpected),
  ...entryChange('add', name, [...changed, ...missing]),
]

async function rollBack(
  session: IpsetSession,
  warning: string,
  changes: () => Promise<readonly Change[]>,
): Promise<void> {
  try {
    await session.change(await changes(), { exist: true, uncancelled: true })
  } catch (error) {
    // Only logs a failed rollback. The caller throws the error that made the rollback necessary.
    session.warn(warning, { error: String(error) })
  }
}

/** Name of the temporary set, with random digits because two processes may replace a set at once. */
function temporaryName(name: string): string {
  const hash = createHash('sha256').update(name).digest('hex').slice(0, 8)
  return `cni-tmp-${hash}-${randomBytes(6).toString('hex')}`
}
