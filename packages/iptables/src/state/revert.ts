import { canonicalRule } from '../parse/canonical.ts'
import type { SavedChain, SavedRule, SavedTables } from '../parse/saved-tables.ts'
import { chainsFor, type Family, isBuiltin, type Rule, type Ruleset, rulesFor, type Table } from '../rules/model.ts'
import type { Steps } from '../steps/steps.ts'
import { written } from '../steps/written.ts'
import { commonSubsequence } from './common-subsequence.ts'
import { sameRules } from './transition.ts'

/** Record of one write to a family, for a rollback. */
export interface Write {
  readonly before: SavedTables
  readonly steps: Steps
}

/** Computes a family's current rules without the effects of one write. Keeps later changes by other programs. */
export function reverted(now: SavedTables, { before, steps }: Write): SavedTables {
  const after = written(before, steps)
  const tables = new Map<Table, ReadonlyMap<string, SavedChain>>(now.tables)
  for (const table of new Set([...before.tables.keys(), ...after.tables.keys()])) {
    const [old, ours] = [before.tables.get(table), after.tables.get(table)]
    if (old === ours) continue
    const chains = new Map(now.tables.get(table))
    const created: string[] = []
    for (const name of new Set([...(old?.keys() ?? []), ...(ours?.keys() ?? [])])) {
      const [b, a] = [old?.get(name), ours?.get(name)]
      if (b === a) continue
      // Treats a missing built-in chain as empty: `iptables-save` may omit a built-in chain without rules.
      if (b === undefined && !isBuiltin(table, name)) created.push(name)
      if (chains.has(name) || b !== undefined) chains.set(name, chainBack(chains.get(name), b, a))
    }
    deleteUnused(chains, created)
    tables.set(table, chains)
  }
  return { family: now.family, tables }
}

/** Computes the family's rules without the rules that a first `apply` wrote. */
export function unwritten(now: SavedTables, rules: Ruleset, from: ReadonlySet<Table>): SavedTables {
  const { family } = now
  const tables = new Map<Table, ReadonlyMap<string, SavedChain>>(now.tables)
  for (const table of from) {
    const chains = new Map(now.tables.get(table))
    const created = chainsFor(rules, family).flatMap((own) => (own.table === table ? own.name : []))
    for (const rule of rulesFor(rules, family).toReversed()) {
      const chain = chains.get(rule.chain)
      if (rule.table !== table || chain === undefined) continue
      chains.set(rule.chain, { ...chain, rules: withoutRule(chain.rules, rule, family) })
    }
    deleteUnused(chains, created)
    tables.set(table, chains)
  }
  return { family, tables }
}

/** Removes rules from `to` that jump to a chain that only `from` has. */
export function withoutDangling(from: SavedTables, to: SavedTables): SavedTables {
  const tables = new Map<Table, ReadonlyMap<string, SavedChain>>()
  for (const [table, chains] of to.tables) {
    const missing = [...(from.tables.get(table)?.keys() ?? [])].filter((name) => !chains.has(name))
    const leads = (rule: SavedRule) => missing.includes(rule.target)
    const clean = [...chains].map(([name, chain]): [string, SavedChain] =>
      missing.length > 0 && chain.rules.some(leads)
        ? [name, { ...chain, rules: chain.rules.filter((rule) => !leads(rule)) }]
        : [name, chain],
    )
    tables.set(table, missing.length === 0 ? chains : new Map(clean))
  }
  return { family: to.family, tables }
}

// internal

/** Removes the chains that a write created. Keeps a chain that contains rules, or to which a rule jumps. */
function deleteUnused(chains: Map<string, SavedChain>, created: readonly string[]): void {
  const isUsed = (name: string) => [...chains.values()].some(({ rules }) => rules.some(({ target }) => target === name))
  const isEmpty = (name: string) => chains.get(name)?.rules.length === 0
  let unused: string[]
  do {
    unused = created.filter((name) => isEmpty(name) && !isUsed(name))
    for (const name of unused) chains.delete(name)
  } while (unused.length > 0)
}

function chainBack(
  now: SavedChain | undefined,
  before: SavedChain | undefined,
  after: SavedChain | undefined,
): SavedChain {
  if (now === undefined) return before ?? { rules: [] }
  const policy = now.policy === after?.policy ? before?.policy : now.policy
  const rules = sameRules(now.rules, before?.rules ?? [])
    ? now.rules
    : merged(before?.rules ?? [], after?.rules ?? [], now.rules)
  return { ...(policy === undefined ? undefined : { policy }), rules }
}

/** Merges three versions of a chain: undoes the write and keeps later changes. */
function merged(before: readonly SavedRule[], after: readonly SavedRule[], now: readonly SavedRule[]): SavedRule[] {
  const toAfter = new Map(pairsOf(before, after))
  const toNow = new Map(pairsOf(after, now))
  const stays = new Set(toAfter.values())
  const added = new Set([...toNow].filter(([index]) => !stays.has(index)).map(([, index]) => index))
  // Map from a rule's index to the removed rules after it; index -1 is the chain's start.
  const taken = new Map<number, SavedRule[]>()
  let anchor = -1
  for (const [index, rule] of before.entries()) {
    const inAfter = toAfter.get(index)
    const inNow = inAfter === undefined ? undefined : toNow.get(inAfter)
    if (inNow !== undefined) anchor = inNow
    else if (inAfter === undefined) {
      const behind = taken.get(anchor) ?? []
      taken.set(anchor, behind)
      behind.push(rule)
    }
  }
  return [
    ...(taken.get(-1) ?? []),
    ...now.flatMap((rule, index) => [...(added.has(index) ? [] : [rule]), ...(taken.get(index) ?? [])]),
  ]
}

const pairsOf = (a: readonly SavedRule[], b: readonly SavedRule[]) =>
  commonSubsequence(
    a.map(({ key }) => key),
    b.map(({ key }) => key),
  )

function withoutRule(list: readonly SavedRule[], rule: Rule, family: Family): SavedRule[] {
  const { key } = canonicalRule(rule, family)
  const place = rule.position === undefined ? -1 : rule.position - 1
  const index = list[place]?.key === key ? place : list.findLastIndex((each) => each.key === key)
  return index === -1 ? [...list] : list.toSpliced(index, 1)
}
