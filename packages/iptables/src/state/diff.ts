import type { Drift, DriftLine } from '../drift.ts'
import type { SavedChain, SavedRule, SavedTables } from '../parse/saved-tables.ts'
import { isBuiltin, type Table } from '../rules/model.ts'
import { alignBuiltin } from './align-builtin.ts'
import { commonSubsequence } from './common-subsequence.ts'
import { countKeys } from './count-keys.ts'
import type { DesiredRule, DesiredState, DesiredTable } from './desired.ts'
import { marksOf } from './marks.ts'

/** Differences between the ruleset's rules and the kernel's rules in one family. */
export function diffState(desired: DesiredState, snapshot: SavedTables): Drift {
  const drift: MutableDrift = { missing: [], unexpected: [], changed: [] }
  for (const [table, state] of desired.tables) {
    const chains = snapshot.tables.get(table) ?? new Map<string, SavedChain>()
    const at = (chain: string): DriftLocation => ({ family: desired.family, table, chain })
    for (const [name, rules] of state.own) {
      const current = chains.get(name)?.rules
      if (current === undefined) drift.missing.push(at(name))
      else diffOwn(rules, current, at(name), drift)
    }
    for (const name of state.absent) if (chains.has(name)) drift.unexpected.push(at(name))
    for (const name of builtinsOf(table, state, chains)) {
      diffBuiltin(state.builtin.get(name) ?? [], chains.get(name)?.rules ?? [], state, at(name), drift)
    }
  }
  return drift
}

/** Built-in chains to compare. Any of them may contain rules of an older ruleset. */
export function builtinsOf(table: Table, state: DesiredTable, chains: ReadonlyMap<string, SavedChain>): string[] {
  return [...new Set([...state.builtin.keys(), ...chains.keys()])].filter((name) => isBuiltin(table, name))
}

/** Names of all chains that a ruleset owns in a table, also chains that must not exist. */
export const ownNames = (state: DesiredTable): ReadonlySet<string> => new Set([...state.own.keys(), ...state.absent])

/** True if a chain in the kernel contains exactly the ruleset's rules in the ruleset's order. */
export const sameContent = (desired: readonly Comparable[], current: readonly SavedRule[]): boolean =>
  desired.length === current.length && desired.every((rule, index) => isSame(rule, current[index]))

/** Adds the differences of one of the ruleset's own chains. */
export function diffOwn(
  desired: readonly Comparable[],
  current: readonly SavedRule[],
  at: DriftLocation,
  drift: MutableDrift,
): void {
  if (sameContent(desired, current)) return
  const pairs = commonSubsequence(
    desired.map(({ key }) => key),
    current.map(({ key }) => key),
  )
  if (sameCounts(desired, current)) {
    const index = desired.findIndex((_, i) => !pairs.some(([a]) => a === i))
    drift.changed.push({ ...at, reason: 'order', rule: desired[index]?.text ?? '' })
    return
  }
  let [i, j] = [0, 0]
  for (const [nextI, nextJ] of [...pairs, [desired.length, current.length] as const]) {
    for (; i < nextI && j < nextJ; i++, j++) {
      const [expected, actual] = [desired[i]?.text ?? '', current[j]?.text ?? '']
      drift.changed.push({ ...at, reason: 'replaced', rule: actual, expected, actual })
    }
    for (; i < nextI; i++) drift.missing.push({ ...at, rule: desired[i]?.text ?? '' })
    for (; j < nextJ; j++) drift.unexpected.push({ ...at, rule: current[j]?.text ?? '' })
    i++
    j++
  }
}

/** Mutable list of differences from a ruleset. The comparison adds each difference that it finds. */
export interface MutableDrift {
  readonly missing: DriftLine[]
  readonly unexpected: DriftLine[]
  readonly changed: Drift['changed'][number][]
}

// internal

interface Comparable {
  readonly text: string
  readonly key: string
  readonly form?: string | undefined
}

/** True if a desired rule equals a rule from the kernel. Compares bytes first to avoid parsing. */
function isSame(desired: Comparable, current: SavedRule | undefined): boolean {
  if (current === undefined) return false
  const { form } = current
  return (form !== undefined && form === desired.form) || desired.key === current.key
}

type DriftLocation = Omit<DriftLine, 'rule'>

function diffBuiltin(
  desired: readonly DesiredRule[],
  current: readonly SavedRule[],
  state: DesiredTable,
  at: DriftLocation,
  drift: MutableDrift,
): void {
  const { kept, deleted } = alignBuiltin(desired, current, { own: ownNames(state), removable: [] })
  if (kept.size === desired.length && deleted.length === 0) return
  const mark = marksOf(desired, current)
  const keys = (rules: readonly (DesiredRule | SavedRule)[]) => countKeys(rules.map((rule) => ({ key: mark(rule) })))
  const there = keys(current)
  // A rule counts as out of order if a repair would only move it.
  const moved = new Map<string, number>()
  for (const [key, count] of keys(desired)) moved.set(key, Math.min(count, there.get(key) ?? 0))
  for (const [index, rule] of desired.entries()) if (kept.has(index)) take(moved, mark(rule))
  const goes = new Map(moved)
  for (const [index, rule] of desired.entries()) {
    if (kept.has(index)) continue
    if (take(moved, mark(rule))) drift.changed.push({ ...at, reason: 'order', rule: rule.text })
    else drift.missing.push({ ...at, rule: rule.text })
  }
  for (const index of deleted) {
    const rule = current[index]
    if (rule !== undefined && !take(goes, mark(rule))) drift.unexpected.push({ ...at, rule: rule.text })
  }
}

/** Decrements the count of remaining rules with a key. Returns false if no such rule remains. */
function take(counts: Map<string, number>, key: string | undefined): boolean {
  const left = counts.get(key ?? '') ?? 0
  if (left > 0) counts.set(key ?? '', left - 1)
  return left > 0
}

function sameCounts(desired: readonly Comparable[], current: readonly SavedRule[]): boolean {
  const counts = countKeys(desired)
  return desired.length === current.length && current.every((rule) => take(counts, rule.key))
}
