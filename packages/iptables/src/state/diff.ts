import type { Drift, DriftLine } from '../drift.ts'
import type { SavedChain, SavedRule, SavedTables } from '../parse/saved-tables.ts'
import { isBuiltin, type Table } from '../rules/model.ts'
import { alignBuiltin } from './align-builtin.ts'
import { commonSubsequence } from './common-subsequence.ts'
import { countKeys } from './count-keys.ts'
import type { Wanted, WantedRule, WantedTable } from './desired.ts'
import { marksOf } from './marks.ts'

/** Differences between the ruleset's rules and the kernel's rules in one family. */
export function diffState(wanted: Wanted, snapshot: SavedTables): Drift {
  const drift: MutableDrift = { missing: [], unexpected: [], changed: [] }
  for (const [table, state] of wanted.tables) {
    const chains = snapshot.tables.get(table) ?? new Map<string, SavedChain>()
    const at = (chain: string): Place => ({ family: wanted.family, table, chain })
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
export function builtinsOf(table: Table, state: WantedTable, chains: ReadonlyMap<string, SavedChain>): string[] {
  return [...new Set([...state.builtin.keys(), ...chains.keys()])].filter((name) => isBuiltin(table, name))
}

/** Names of all chains that a ruleset owns in a table, also chains that must not exist. */
export const ownNames = (state: WantedTable): ReadonlySet<string> => new Set([...state.own.keys(), ...state.absent])

/** True if a chain in the kernel contains exactly the ruleset's rules in the ruleset's order. */
export const sameContent = (wanted: readonly Comparable[], current: readonly SavedRule[]): boolean =>
  wanted.length === current.length && wanted.every((rule, index) => isSame(rule, current[index]))

/** Adds the differences of one of the ruleset's own chains. */
export function diffOwn(
  wanted: readonly Comparable[],
  current: readonly SavedRule[],
  at: Place,
  drift: MutableDrift,
): void {
  if (sameContent(wanted, current)) return
  const pairs = commonSubsequence(
    wanted.map(({ key }) => key),
    current.map(({ key }) => key),
  )
  if (sameCounts(wanted, current)) {
    const index = wanted.findIndex((_, i) => !pairs.some(([a]) => a === i))
    drift.changed.push({ ...at, reason: 'order', rule: wanted[index]?.text ?? '' })
    return
  }
  let [i, j] = [0, 0]
  for (const [nextI, nextJ] of [...pairs, [wanted.length, current.length] as const]) {
    for (; i < nextI && j < nextJ; i++, j++) {
      const [expected, actual] = [wanted[i]?.text ?? '', current[j]?.text ?? '']
      drift.changed.push({ ...at, reason: 'replaced', rule: actual, expected, actual })
    }
    for (; i < nextI; i++) drift.missing.push({ ...at, rule: wanted[i]?.text ?? '' })
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

/** True if a wanted rule equals a rule from the kernel. Compares bytes first to avoid parsing. */
function isSame(wanted: Comparable, current: SavedRule | undefined): boolean {
  if (current === undefined) return false
  const { form } = current
  return (form !== undefined && form === wanted.form) || wanted.key === current.key
}

type Place = Omit<DriftLine, 'rule'>

function diffBuiltin(
  wanted: readonly WantedRule[],
  current: readonly SavedRule[],
  state: WantedTable,
  at: Place,
  drift: MutableDrift,
): void {
  const { kept, deleted } = alignBuiltin(wanted, current, { own: ownNames(state), removable: [] })
  if (kept.size === wanted.length && deleted.length === 0) return
  const mark = marksOf(wanted, current)
  const keys = (rules: readonly (WantedRule | SavedRule)[]) => countKeys(rules.map((rule) => ({ key: mark(rule) })))
  const there = keys(current)
  // A rule counts as out of order if a repair would only move it.
  const moved = new Map<string, number>()
  for (const [key, count] of keys(wanted)) moved.set(key, Math.min(count, there.get(key) ?? 0))
  for (const [index, rule] of wanted.entries()) if (kept.has(index)) take(moved, mark(rule))
  const goes = new Map(moved)
  for (const [index, rule] of wanted.entries()) {
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

function sameCounts(wanted: readonly Comparable[], current: readonly SavedRule[]): boolean {
  const counts = countKeys(wanted)
  return wanted.length === current.length && current.every((rule) => take(counts, rule.key))
}
