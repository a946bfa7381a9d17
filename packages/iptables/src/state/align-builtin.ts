import type { SavedRule } from '../parse/saved-tables.ts'
import { commonSubsequence } from './common-subsequence.ts'
import { countKeys } from './count-keys.ts'
import type { DesiredRule } from './desired.ts'
import { type Marked, marksOf } from './marks.ts'

/** Comparison of a built-in chain in the kernel with the ruleset's rules for that chain. */
export interface Alignment {
  /** Rules of the ruleset that the chain contains, as indexes in ruleset and chain. */
  readonly kept: ReadonlyMap<number, number>
  /** Ascending indexes of the rules that `iptables -D` deletes by their text. */
  readonly deleted: readonly number[]
  /** Indexes of the ruleset's rules that may stand anywhere among the other rules of the chain. */
  readonly floating: ReadonlySet<number>
}

/** Facts that decide which rules of a built-in chain belong to the ruleset. */
export interface AlignOptions {
  /** Names of the ruleset's own chains. A rule that jumps to one of these chains belongs to the ruleset. */
  readonly own: ReadonlySet<string>
  /** Rules to delete at most once, because another program may have written an equal rule. */
  readonly removable: readonly DesiredRule[]
}

/** Decides which rules stay. Keeps the last of equal rules, because `iptables -D` deletes the first. */
export function alignBuiltin(
  rules: readonly DesiredRule[],
  chain: readonly SavedRule[],
  { own, removable: extra }: AlignOptions,
): Alignment {
  const mark = marksOf([...rules, ...extra], chain)
  const desired = rules.map((rule): Marked => ({ key: mark(rule), position: rule.position }))
  const current = chain.map(
    (rule): CurrentRule => ({
      jumps: own.has(rule.target),
      get key() {
        return mark(rule)
      },
    }),
  )
  const removable = countKeys(extra.map((rule) => ({ key: mark(rule) })))
  const counts = countKeys(desired)
  const knownKeys = new Set([...counts.keys(), ...removable.keys()])
  const copies = copiesOf(current, knownKeys)
  const candidates = [...copies.values()]
    .flatMap(({ key, indices, jumps }) => {
      const keepable = counts.get(key) ?? 0
      return keepable === 0 ? [] : jumps ? indices.slice(-keepable) : indices
    })
    .sort((a, b) => a - b)
  const floating = new Set([...desired.keys()].filter((index) => floats(desired[index], current, copies)))
  const order = desired.map((rule, index) => ({ rule, index })).filter(({ index }) => !floating.has(index))
  const pairs = commonSubsequence(
    order.map(({ rule }) => rule.key),
    candidates.map((index) => current[index]?.key ?? ''),
  )
  const kept = new Map(pairs.map(([a, b]) => [order[a]?.index ?? 0, candidates[b] ?? 0]))
  keepFloating(desired, floating, copies, kept)
  const keptByKey = new Map<string, [number, number][]>()
  for (const pair of kept) {
    const key = desired[pair[0]]?.key ?? ''
    const sameKey = keptByKey.get(key)
    if (sameKey === undefined) keptByKey.set(key, [pair])
    else sameKey.push(pair)
  }
  const deleted = [...copies.values()].flatMap((each) =>
    chooseDeleted(each, keptByKey.get(each.key) ?? [], kept, counts, removable),
  )
  return { kept, deleted: deleted.sort((a, b) => a - b), floating }
}

// internal

interface CurrentRule {
  /** True if the rule jumps to one of the ruleset's own chains. */
  readonly jumps: boolean
  /** Canonical form of the rule as a string, computed at the first use. */
  readonly key: string
}

interface Copies {
  readonly key: string
  readonly indices: number[]
  readonly jumps: boolean
}

/** Groups the equal rules of a built-in chain that may belong to the ruleset. */
function copiesOf(current: readonly CurrentRule[], known: ReadonlySet<string>) {
  const copies = new Map<string, Copies>()
  for (const [index, rule] of current.entries()) {
    const { jumps } = rule
    // Skips another program's rule without computing the rule's key.
    if (!jumps && known.size === 0) continue
    const { key } = rule
    const found = copies.get(key)
    if (found !== undefined) found.indices.push(index)
    else if (jumps || known.has(key)) copies.set(key, { key, indices: [index], jumps })
  }
  return copies
}

/** True if the rule may have any position: changes by other programs may have shifted it. */
function floats(
  rule: Marked | undefined,
  current: readonly CurrentRule[],
  copies: ReadonlyMap<string, Copies>,
): boolean {
  return (rule?.position ?? 0) > 1 && current.some(({ key }) => !copies.has(key))
}

function keepFloating(
  desired: readonly Marked[],
  floating: ReadonlySet<number>,
  copies: ReadonlyMap<string, Copies>,
  kept: Map<number, number>,
): void {
  const taken = new Set(kept.values())
  for (const index of floating) {
    const free = copies.get(desired[index]?.key ?? '')?.indices.findLast((each) => !taken.has(each))
    if (free === undefined) continue
    kept.set(index, free)
    taken.add(free)
  }
}

/** Chooses which of several equal rules to delete. `iptables -D` deletes the first one. */
function chooseDeleted(
  { key, indices, jumps }: Copies,
  pairs: readonly (readonly [desired: number, current: number])[],
  kept: Map<number, number>,
  counts: ReadonlyMap<string, number>,
  removable: ReadonlyMap<string, number>,
): number[] {
  const ours = jumps ? indices.length : Math.min(indices.length, (counts.get(key) ?? 0) + (removable.get(key) ?? 0))
  const surplus = ours - pairs.length
  if (surplus <= 0) return []
  const first = indices.slice(0, surplus)
  const end = first.at(-1) ?? -1
  if (!pairs.some(([, index]) => index <= end)) return first
  for (const [index] of pairs) kept.delete(index)
  return indices.slice(0, ours)
}
