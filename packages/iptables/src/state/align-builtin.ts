import type { SavedRule } from '../parse/saved-tables.ts'
import { commonSubsequence } from './common-subsequence.ts'
import { countKeys } from './count-keys.ts'
import { type Marked, marksOf } from './marks.ts'
import type { WantedRule } from './wanted.ts'

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
  /** Other rules of which a copy may go. */
  readonly removable: readonly WantedRule[]
}

/**
 * Aligns the wanted rules of a built-in chain with what is there. Rules of others never move: the result keeps a common
 * subsequence, and deletes what is ours beyond it. `-D` with a rule's text deletes its *first* copy, so of equal rules
 * the last ones are kept.
 */
export function alignBuiltin(
  rules: readonly WantedRule[],
  chain: readonly SavedRule[],
  { own, removable: extra }: AlignOptions,
): Alignment {
  const mark = marksOf([...rules, ...extra], chain)
  const wanted = rules.map((rule): Marked => ({ key: mark(rule), position: rule.position }))
  const current = chain.map(
    (rule): There => ({
      jumps: own.has(rule.target),
      get key() {
        return mark(rule)
      },
    }),
  )
  const removable = countKeys(extra.map((rule) => ({ key: mark(rule) })))
  const counts = countKeys(wanted)
  const knownKeys = new Set([...counts.keys(), ...removable.keys()])
  const copies = copiesOf(current, knownKeys)
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
  const keptByKey = new Map<string, [number, number][]>()
  for (const pair of kept) {
    const key = wanted[pair[0]]?.key ?? ''
    const sameKey = keptByKey.get(key)
    if (sameKey === undefined) keptByKey.set(key, [pair])
    else sameKey.push(pair)
  }
  const deleted = [...copies.values()].flatMap((each) =>
    settle(each, keptByKey.get(each.key) ?? [], kept, counts, removable),
  )
  return { kept, deleted: deleted.sort((a, b) => a - b), floating }
}

// internal

interface There {
  /** Into an own chain. */
  readonly jumps: boolean
  /** Found out when asked for. */
  readonly key: string
}

interface Copies {
  readonly key: string
  readonly indices: number[]
  readonly jumps: boolean
}

/** The rules of the chain that are, or may be, ours, by key. */
function copiesOf(current: readonly There[], known: ReadonlySet<string>) {
  const copies = new Map<string, Copies>()
  for (const [index, rule] of current.entries()) {
    const { jumps } = rule
    // A rule of others, whatever it says.
    if (!jumps && known.size === 0) continue
    const { key } = rule
    const found = copies.get(key)
    if (found !== undefined) found.indices.push(index)
    else if (jumps || known.has(key)) copies.set(key, { key, indices: [index], jumps })
  }
  return copies
}

/** With rules of others in the chain, the place of an insert behind position 1 depended on them: any place is right. */
function floats(rule: Marked | undefined, current: readonly There[], copies: ReadonlyMap<string, Copies>): boolean {
  return (rule?.position ?? 0) > 1 && current.some(({ key }) => !copies.has(key))
}

function keepFloating(
  wanted: readonly Marked[],
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
  keptHere: readonly (readonly [wanted: number, current: number])[],
  kept: Map<number, number>,
  counts: ReadonlyMap<string, number>,
  removable: ReadonlyMap<string, number>,
): number[] {
  const ours = jumps ? indices.length : Math.min(indices.length, (counts.get(key) ?? 0) + (removable.get(key) ?? 0))
  const goes = ours - keptHere.length
  if (goes <= 0) return []
  const first = indices.slice(0, goes)
  const end = first.at(-1) ?? -1
  if (!keptHere.some(([, index]) => index <= end)) return first
  for (const [index] of keptHere) kept.delete(index)
  return indices.slice(0, ours)
}
