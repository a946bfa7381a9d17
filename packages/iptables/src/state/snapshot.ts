import type { Drift } from '../drift.ts'
import { invalid } from '../errors.ts'
import type { IptablesBackend } from '../iptables-backend.ts'
import type { SavedChain, SavedRule, SavedTables } from '../parse/saved-tables.ts'
import { type Family, families, isBuiltin, isTable, type Table, tables } from '../rules/model.ts'
import { diffOwn, type MutableDrift } from './diff.ts'

/**
 * Snapshot of the rules in one back end and namespace. The function `trace` accepts the members `ipv4` and `ipv6` as
 * rules.
 */
export interface Snapshot {
  readonly backend: IptablesBackend
  /** Tables that the snapshot contains for each family. */
  readonly tables: readonly Table[]
  /** Rules of one IP family; `undefined` if the snapshot does not contain the family. */
  readonly ipv4?: SavedTables
  readonly ipv6?: SavedTables
}

/**
 * Difference between two snapshots, or two texts that `parseSave` read. `missing` is only in `before`, `unexpected`
 * only in `after`.
 *
 * - The comparison uses the meaning of rules, without counters.
 * - The comparison includes chains and rules of other programs.
 * - The comparison ignores families and tables that one snapshot lacks.
 * - A table that is missing in a text counts as empty.
 *
 * @throws `IptablesError('INVALID_RULE')` if the two snapshots or texts have no family and table in common.
 * @example
 * ```ts
 * import { iptables } from '@cni/iptables'
 * import { diffSnapshots, driftText } from '@cni/iptables/rules'
 *
 * const before = await iptables('host').snapshot()
 * // … something runs …
 * export const changes = driftText(diffSnapshots(before, await iptables('host').snapshot()))
 * ```
 */
export function diffSnapshots(before: Snapshot | SavedTables, after: Snapshot | SavedTables): Required<Drift> {
  const drift: MutableDrift = { missing: [], unexpected: [], changed: [] }
  const policies: Required<Drift>['policies'][number][] = []
  const [one, other] = [coverage(before), coverage(after)]
  const [common, shared] = [inBoth(one.families, other.families), inBoth(one.tables, other.tables)]
  if (common.length === 0 || shared.length === 0) {
    invalid(`diffSnapshots: nothing to compare, the snapshots cover ${coverageText(one)} and ${coverageText(other)}`)
  }
  for (const family of common) {
    for (const table of shared) {
      const [from, to] = [one.of(family)?.tables.get(table) ?? none, other.of(family)?.tables.get(table) ?? none]
      for (const chain of new Set([...from.keys(), ...to.keys()])) {
        diffChain({ family, table, chain }, from.get(chain), to.get(chain), drift, policies)
      }
    }
  }
  return { ...drift, policies }
}

/** Families and tables that a snapshot or a parsed text contains. */
export function coverage(snapshot: Snapshot | SavedTables): Coverage {
  if ('family' in snapshot) {
    const { family } = snapshot
    return { families: [family], tables, of: (name) => (name === family ? snapshot : undefined) }
  }
  return {
    families: families.filter((family) => snapshot[family] !== undefined),
    tables: snapshot.tables,
    of: (family) => snapshot[family],
  }
}

/** Rules of one family in a snapshot, restricted to some tables. */
export const inTables = ({ family, tables: all }: SavedTables, names: readonly Table[]): SavedTables => ({
  family,
  tables: new Map([...all].filter(([table]) => names.includes(table))),
})

/** Validates a list of table names that a caller passed. */
export function checkTables(list: readonly Table[] | undefined): readonly Table[] {
  if (list === undefined) return tables
  if (!Array.isArray(list) || list.length === 0 || !list.every((name) => typeof name === 'string' && isTable(name))) {
    invalid(`tables: ${JSON.stringify(list)} is not a list of ${tables.join(', ')}`)
  }
  return tables.filter((name) => list.includes(name))
}

// internal

interface Coverage {
  readonly families: readonly Family[]
  readonly tables: readonly Table[]
  of(family: Family): SavedTables | undefined
}

const inBoth = <T>(one: readonly T[], other: readonly T[]): T[] => one.filter((each) => other.includes(each))

const coverageText = ({ families: list, tables: names }: Coverage) =>
  `${list.join(' and ') || 'no family'} (${names.length === tables.length ? 'all tables' : names.join(', ')})`

const none: ReadonlyMap<string, SavedChain> = new Map()
const noRules: readonly SavedRule[] = []

function diffChain(
  at: { family: Family; table: Table; chain: string },
  from: SavedChain | undefined,
  to: SavedChain | undefined,
  drift: MutableDrift,
  policies: Required<Drift>['policies'][number][],
): void {
  if (isBuiltin(at.table, at.chain)) {
    // A missing built-in chain has the policy ACCEPT: the kernel creates the chain at its first use.
    const [expected, actual] = [from?.policy ?? 'ACCEPT', to?.policy ?? 'ACCEPT']
    if (expected !== actual) policies.push({ ...at, expected, actual })
  } else if (to === undefined) {
    drift.missing.push(at)
    return
  } else if (from === undefined) drift.unexpected.push(at)
  diffOwn(from?.rules ?? noRules, to?.rules ?? noRules, at, drift)
}
