import type { SavedRule } from '../parse/saved-tables.ts'
import { commonSubsequence } from './common-subsequence.ts'
import { countKeys } from './count-keys.ts'
import { type Marked, marksOf } from './marks.ts'
import type { WantedRule } from './wanted.ts'

/** Relation between a built-in chain and its wanted rules. */
export interface Alignment {
  /** Index of each wanted rule that stays, with its index in the chain. */
  readonly kept: ReadonlyMap<number, number>
  /** Indexes of the rules to delete, in the chain's order. Deletion by text deletes exactly these rules. */
  readonly deleted: readonly number[]
  /** Indexes of wanted rules whose position among the others has no meaning. */
  readonly floating: ReadonlySet<number>
}

/** Decides which rules of a built-in chain are own rules. */
export interface AlignOptions {
  /** Names of own chains. A jump to one of them is an own rule. */
  readonly own: ReadonlySet<string>
  /** Rules without a jump to an own chain of which one copy may be deleted. */
  readonly removable: readonly WantedRule[]
}

/**
 * Decides which existing rules of a built-in chain stay as wanted rules. Foreign rules never move. Keeps a common
 * subsequence of both lists and deletes the other own rules.
 *
 * `-D` with a rule's text deletes its *first* copy, so the last copies of equal rules are kept.
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
  /** True for a jump to an own chain. */
  readonly jumps: boolean
  /** Key of the rule, computed at the first use. */
  readonly key: string
}

interface Copies {
  readonly key: string
  readonly indices: number[]
  readonly jumps: boolean
}

/** Own rules of the chain, and rules that may be own rules, by key. */
function copiesOf(current: readonly There[], known: ReadonlySet<string>) {
  const copies = new Map<string, Copies>()
  for (const [index, rule] of current.entries()) {
    const { jumps } = rule
    // Without a jump to an own chain and without known keys, this is a foreign rule, whatever its content.
    if (!jumps && known.size === 0) continue
    const { key } = rule
    const found = copies.get(key)
    if (found !== undefined) found.indices.push(index)
    else if (jumps || known.has(key)) copies.set(key, { key, indices: [index], jumps })
  }
  return copies
}

/**
 * True if the rule may stand at any position. A position beyond 1 was relative to the foreign rules in the chain, which
 * may have changed.
 */
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

/** Decides which copies of a rule to delete. Keeps no copy if the copies to keep are not the last ones. */
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
