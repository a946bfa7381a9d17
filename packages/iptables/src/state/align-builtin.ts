import type { SavedRule } from '../parse/saved-tables.ts'
import { commonSubsequence } from './common-subsequence.ts'
import { countKeys, type WantedRule } from './wanted.ts'

/** How a built-in chain relates to the own rules that should stand in it. */
export interface Alignment {
  /** Index in the chain of each wanted rule that stays where it is, by its index. */
  readonly kept: ReadonlyMap<number, number>
  /** Rules of the chain that have to go, in the chain's order. Deleting by text deletes exactly these. */
  readonly deleted: readonly number[]
  /** Wanted rules whose place among the others does not matter, by index. */
  readonly floating: ReadonlySet<number>
}

/** What decides which rules of a built-in chain are ours. */
export interface AlignOptions {
  /** Names of own chains: a jump to one of them is ours. */
  readonly own: ReadonlySet<string>
  /** Extra copies of other rules that may go, by key. */
  readonly removable: ReadonlyMap<string, number>
}

/**
 * Aligns the wanted rules of a built-in chain with what is there. Rules of others never move: the result keeps a common
 * subsequence, and deletes what is ours beyond it. `-D` with a rule's text deletes its *first* copy, so of equal rules
 * the last ones are kept.
 */
export function alignBuiltin(
  wanted: readonly WantedRule[],
  current: readonly SavedRule[],
  { own, removable }: AlignOptions,
): Alignment {
  const counts = countKeys(wanted)
  const copies = copiesOf(current, (key) => counts.has(key) || removable.has(key), own)
  const candidates = [...copies.values()]
    .flatMap(({ key, indices, jumps }) => {
      const keepable = counts.get(key) ?? 0
      return keepable === 0 ? [] : jumps ? indices.slice(-keepable) : indices
    })
    .sort((a, b) => a - b)
  const floating = new Set([...wanted.keys()].filter((index) => floats(wanted[index], current, copies)))
  const order = wanted.map((rule, index) => ({ rule, index })).filter(({ index }) => !floating.has(index))
  const pairs = commonSubsequence(
    order.map(({ rule }) => rule.key),
    candidates.map((index) => current[index]?.key ?? ''),
  )
  const kept = new Map(pairs.map(([a, b]) => [order[a]?.index ?? 0, candidates[b] ?? 0]))
  keepFloating(wanted, floating, copies, kept)
  const deleted = [...copies.values()].flatMap((each) => settle(each, wanted, kept, counts, removable))
  return { kept, deleted: deleted.sort((a, b) => a - b), floating }
}

// internal

interface Copies {
  readonly key: string
  readonly indices: number[]
  readonly jumps: boolean
}

/** The rules of the chain that are, or may be, ours, by key. */
function copiesOf(current: readonly SavedRule[], known: (key: string) => boolean, own: ReadonlySet<string>) {
  const copies = new Map<string, Copies>()
  for (const [index, rule] of current.entries()) {
    const jumps = own.has(rule.target)
    const found = copies.get(rule.key)
    if (found !== undefined) found.indices.push(index)
    else if (jumps || known(rule.key)) copies.set(rule.key, { key: rule.key, indices: [index], jumps })
  }
  return copies
}

/** With rules of others in the chain, the place of an insert behind position 1 depended on them: any place is right. */
function floats(
  rule: WantedRule | undefined,
  current: readonly SavedRule[],
  copies: ReadonlyMap<string, Copies>,
): boolean {
  return (rule?.position ?? 0) > 1 && current.some(({ key }) => !copies.has(key))
}

function keepFloating(
  wanted: readonly WantedRule[],
  floating: ReadonlySet<number>,
  copies: ReadonlyMap<string, Copies>,
  kept: Map<number, number>,
): void {
  const taken = new Set(kept.values())
  for (const index of floating) {
    const free = copies.get(wanted[index]?.key ?? '')?.indices.findLast((each) => !taken.has(each))
    if (free === undefined) continue
    kept.set(index, free)
    taken.add(free)
  }
}

/** Which copies of one rule go. Un-keeps all of them when those kept are not the last ones. */
function settle(
  { key, indices, jumps }: Copies,
  wanted: readonly WantedRule[],
  kept: Map<number, number>,
  counts: ReadonlyMap<string, number>,
  removable: ReadonlyMap<string, number>,
): number[] {
  const keptHere = [...kept].filter(([index]) => wanted[index]?.key === key)
  const ours = jumps ? indices.length : Math.min(indices.length, (counts.get(key) ?? 0) + (removable.get(key) ?? 0))
  const goes = ours - keptHere.length
  if (goes <= 0) return []
  const first = indices.slice(0, goes)
  if (!keptHere.some(([, index]) => first.includes(index))) return first
  for (const [index] of keptHere) kept.delete(index)
  return indices.slice(0, ours)
}
