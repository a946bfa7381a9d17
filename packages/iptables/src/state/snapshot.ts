import { invalid } from '../errors.ts'
import type { SavedChain, SavedRule, SavedTables } from '../parse/saved-tables.ts'
import { type Family, families, isBuiltin, isTable, type Table, tables } from '../rules/model.ts'
import type { BackendKind } from '../run/backend.ts'
import { diffOwn, type MutableDrift } from './diff.ts'
import type { Drift } from './drift.ts'

/** What a snapshot covers. */
export interface SnapshotOptions {
  /** Default: those of the `Iptables`. */
  readonly families?: readonly Family[] | undefined
  /** Default: all. */
  readonly tables?: readonly Table[] | undefined
}

/** What one namespace holds in one back end: a value to look at, compare, put back or give to `trace`. */
export interface Snapshot {
  readonly backend: BackendKind
  /** The tables that were looked at. */
  readonly tables: readonly Table[]
  /** `undefined` when the family was not looked at. */
  readonly ipv4?: SavedTables
  readonly ipv6?: SavedTables
}

/** The policy of a built-in chain that differs between two snapshots. */
export interface PolicyChange {
  readonly family: Family
  readonly table: Table
  readonly chain: string
  readonly expected: string
  readonly actual: string
}

/** The difference between two snapshots; here every chain and every rule counts, whoever wrote it. */
export interface SnapshotDiff extends Drift {
  readonly policies: readonly PolicyChange[]
}

/**
 * What differs between two snapshots: `missing` is in `before` only, `unexpected` in `after` only. Rules are compared
 * by meaning, counters are ignored; families and tables that only one of them covers are left out.
 *
 * @example
 * ```ts
 * import { diffSnapshots, driftText, iptables } from '@cni/iptables'
 *
 * const before = await iptables('host').snapshot()
 * // … something runs …
 * export const changes = driftText(diffSnapshots(before, await iptables('host').snapshot()))
 * ```
 */
export function diffSnapshots(before: Snapshot, after: Snapshot): SnapshotDiff {
  const drift: MutableDrift = { missing: [], unexpected: [], changed: [] }
  const policies: PolicyChange[] = []
  for (const family of families) {
    const [a, b] = [before[family], after[family]]
    if (a === undefined || b === undefined) continue
    for (const table of before.tables.filter((name) => after.tables.includes(name))) {
      const [from, to] = [a.tables.get(table) ?? none, b.tables.get(table) ?? none]
      for (const chain of new Set([...from.keys(), ...to.keys()])) {
        diffChain({ family, table, chain }, from.get(chain), to.get(chain), drift, policies)
      }
    }
  }
  return { ...drift, policies }
}

/** A family's snapshot restricted to some tables. */
export const inTables = ({ family, tables: all }: SavedTables, names: readonly Table[]): SavedTables => ({
  family,
  tables: new Map([...all].filter(([table]) => names.includes(table))),
})

/** Checks a list of tables given by a user. */
export function checkTables(list: readonly Table[] | undefined): readonly Table[] {
  if (list === undefined) return tables
  if (!Array.isArray(list) || list.length === 0 || !list.every((name) => typeof name === 'string' && isTable(name))) {
    invalid(`tables: ${JSON.stringify(list)} is not a list of ${tables.join(', ')}`)
  }
  return tables.filter((name) => list.includes(name))
}

// internal

const none: ReadonlyMap<string, SavedChain> = new Map()
const noRules: readonly SavedRule[] = []

function diffChain(
  at: { family: Family; table: Table; chain: string },
  from: SavedChain | undefined,
  to: SavedChain | undefined,
  drift: MutableDrift,
  policies: PolicyChange[],
): void {
  if (isBuiltin(at.table, at.chain)) {
    // A table that nothing has touched is not there; its chains are empty and accept.
    const [expected, actual] = [from?.policy ?? 'ACCEPT', to?.policy ?? 'ACCEPT']
    if (expected !== actual) policies.push({ ...at, expected, actual })
  } else if (to === undefined) {
    drift.missing.push(at)
    return
  } else if (from === undefined) drift.unexpected.push(at)
  diffOwn(from?.rules ?? noRules, to?.rules ?? noRules, at, drift)
}
