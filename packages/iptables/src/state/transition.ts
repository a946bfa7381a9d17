import type { SavedChain, SavedRule, SavedTables } from '../parse/saved-tables.ts'
import { isBuiltin, type Table, tables } from '../rules/model.ts'
import { deleteSteps, indexedRules } from '../steps/delete-steps.ts'
import type { Step, Steps } from '../steps/steps.ts'
import { commonSubsequence } from './common-subsequence.ts'

/** Plans the changes from one set of rules to another. Equal rules keep their counters. */
export function transitionSteps(from: SavedTables, to: SavedTables): Steps {
  const steps = new Map<Table, readonly Step[]>()
  for (const table of tables) {
    const list = tableSteps(table, from.tables.get(table) ?? none, to.tables.get(table) ?? none)
    if (list.length > 0) steps.set(table, list)
  }
  return steps
}

/** True if two chains contain the same rules in the same order. */
export const sameRules = (a: readonly SavedRule[], b: readonly SavedRule[]): boolean =>
  a === b || (a.length === b.length && a.every((rule, index) => sameRule(rule, b[index])))

// internal

type Chains = ReadonlyMap<string, SavedChain>

const none: Chains = new Map()

// Compares the texts of rules first: most rules have equal texts, and parsing is slow.
const sameRule = (a: SavedRule, b: SavedRule | undefined) => b !== undefined && (a.text === b.text || a.key === b.key)

function tableSteps(table: Table, from: Chains, to: Chains): Step[] {
  if (from === to) return []
  const created: string[] = []
  const deleted: string[] = []
  const edits: Step[] = []
  for (const name of new Set([...from.keys(), ...to.keys()])) {
    const [a, b] = [from.get(name), to.get(name)]
    if (a === b) continue
    if (isBuiltin(table, name)) {
      const policy = b?.policy ?? 'ACCEPT'
      if (policy !== (a?.policy ?? 'ACCEPT')) edits.push({ step: 'policy', chain: name, policy })
    } else if (b === undefined) {
      deleted.push(name)
      continue
    } else if (a === undefined) created.push(name)
    // Avoids `push(...steps)`: a chain may have more rules than a JavaScript call can have arguments.
    for (const step of chainSteps(name, a?.rules ?? [], b?.rules ?? [])) edits.push(step)
  }
  return [
    ...created.map((chain): Step => ({ step: 'create', chain })),
    ...deleted.map((chain): Step => ({ step: 'flush', chain })),
    ...edits,
    ...deleted.map((chain): Step => ({ step: 'remove', chain })),
  ]
}

function chainSteps(chain: string, from: readonly SavedRule[], to: readonly SavedRule[]): Step[] {
  if (sameRules(from, to)) return []
  const keys = from.map(({ key }) => key)
  const pairs = commonSubsequence(
    keys,
    to.map(({ key }) => key),
  )
  const stays = withoutLaterCopies(keys, pairs)
  const [kept, there] = [new Set(stays.map(([a]) => a)), new Set(stays.map(([, b]) => b))]
  // Flushes a long chain, because 10 000 single deletions would exceed an undo's time limit.
  const flush = kept.size === 0 && from.length > 256
  const deleted = indexedRules(from, (_, index) => !kept.has(index))
  const steps: Step[] = flush ? [{ step: 'flush', chain }] : deleteSteps(chain, deleted)
  let length = kept.size
  for (const [index, rule] of to.entries()) {
    if (there.has(index)) continue
    steps.push(index === length ? { step: 'append', chain, rule } : { step: 'insert', chain, at: index, rule })
    length++
  }
  return steps
}

/** Selects the rules that may stay. `iptables -D` always deletes the first equal rule. */
function withoutLaterCopies(keys: readonly string[], pairs: readonly [number, number][]): [number, number][] {
  const kept = new Set(pairs.map(([a]) => a))
  const last = new Map<string, number>()
  for (const [index, key] of keys.entries()) if (!kept.has(index)) last.set(key, index)
  return pairs.filter(([a]) => a > (last.get(keys[a] ?? '') ?? -1))
}
