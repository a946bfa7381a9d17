import type { Drift } from '../drift.ts'
import { invalid } from '../errors.ts'
import type { SavedTables } from '../parse/saved-tables.ts'
import { checkFamilies } from '../rules/family-list.ts'
import { type Family, families, type Table } from '../rules/model.ts'
import type { Session } from '../session/session.ts'
import { checkTables, coverage, diffSnapshots, inTables, type Snapshot } from '../state/snapshot.ts'
import { transitionSteps } from '../state/transition.ts'
import { edit } from './edit.ts'
import type { Journal } from './journal.ts'

/** Reads the rules of the back end in use as a snapshot. Changes nothing. */
export async function takeSnapshot(
  session: Session,
  options: { families?: readonly Family[] | undefined; tables?: readonly Table[] | undefined } = {},
): Promise<Snapshot> {
  const covered = checkTables(options.tables)
  const { chosen } = await session.backends()
  const all = checkFamilies(options.families) ?? (await session.families())
  // Reads all tables, because `iptables-save -t` would create a missing legacy table.
  const found = (await session.read(chosen, all)).map((each) => inTables(each, covered))
  const of = (family: Family) => found.find((each) => each.family === family)
  const [ipv4, ipv6] = [of('ipv4'), of('ipv6')]
  return {
    backend: chosen.kind,
    tables: covered,
    ...(ipv4 === undefined ? undefined : { ipv4 }),
    ...(ipv6 === undefined ? undefined : { ipv6 }),
  }
}

/** Compares the kernel's current rules with an earlier state: a snapshot, or a text that `parseSave` read. */
export async function diffSince(session: Session, before: Snapshot | SavedTables): Promise<Required<Drift>> {
  return diffSnapshots(before, await takeSnapshot(session, coverage(before)))
}

/** Makes the kernel hold the rules of a snapshot. */
export async function restoreSnapshot(session: Session, desired: Snapshot, journal: Journal): Promise<void> {
  checkSnapshot(desired)
  const { chosen } = await session.backends()
  if (desired.backend !== chosen.kind) {
    invalid(
      `restore: the snapshot is from the ${desired.backend} back end, but ${chosen.kind} is in use; set the option backend`,
    )
  }
  const covered = families.filter((family) => desired[family] !== undefined)
  const plan = (now: SavedTables) => transitionSteps(now, withTables(now, desired[now.family] ?? now, desired.tables))
  await orRollBack(journal, edit(session, chosen, { families: covered, plan, journal }))
}

/** Waits for the writes of several families. If one write fails, rolls back the others. */
export async function orRollBack(journal: Journal, writes: Promise<unknown>): Promise<void> {
  try {
    await writes
  } catch (error) {
    await journal.rollBack()
    throw error
  }
}

// internal

/** Refuses an empty snapshot: the restore would do nothing and report success. */
function checkSnapshot(desired: Snapshot): void {
  if ('family' in desired) invalid('restore: expected what snapshot() returned; a text does not say its back end')
  checkTables(desired.tables)
  if (coverage(desired).families.length === 0) invalid('restore: the snapshot holds no family')
}

/** Replaces some tables in a family's current rules: each table in `covered` gets its chains from `target`. */
function withTables(now: SavedTables, target: SavedTables, covered: readonly Table[]): SavedTables {
  const all = new Map([...now.tables].filter(([table]) => !covered.includes(table)))
  for (const [table, chains] of target.tables) if (covered.includes(table)) all.set(table, chains)
  return { family: now.family, tables: all }
}
