import { type SavedChain, SavedRule, type SavedTables } from '../parse/saved-tables.ts'
import type { Table } from '../rules/model.ts'
import type { Step, StepRule, Steps } from './steps.ts'

/**
 * Computes the rules after some planned changes without asking the kernel. Chains without changes stay the same
 * objects.
 */
export function written(snapshot: SavedTables, steps: Steps): SavedTables {
  const tables = new Map<Table, ReadonlyMap<string, SavedChain>>(snapshot.tables)
  const copied = new WeakSet<SavedRule[]>()
  for (const [table, list] of steps) {
    const chains = new Map(tables.get(table))
    tables.set(table, chains)
    for (const step of list) take(chains, step, snapshot.family, copied)
  }
  return { family: snapshot.family, tables }
}

// internal

/** Applies one planned change. Copies each list only once, because copies of long lists are slow. */
function take(
  chains: Map<string, SavedChain>,
  step: Step,
  family: SavedTables['family'],
  copied: WeakSet<SavedRule[]>,
): void {
  const { chain: name } = step
  const chain = chains.get(name)
  const old = chain?.rules ?? []
  const saved = (rule: StepRule) => (rule instanceof SavedRule ? rule : new SavedRule(rule.text, family))
  const change = (position: number, remove: number, ...add: SavedRule[]) => {
    const rules = copied.has(old) ? old : [...old]
    copied.add(rules)
    rules.splice(position, remove, ...add)
    if (rules !== old) chains.set(name, { ...chain, rules })
  }
  switch (step.step) {
    case 'create':
    case 'renew':
    case 'flush':
      chains.set(name, { ...chain, rules: [] })
      break
    case 'remove':
      chains.delete(name)
      break
    case 'append':
      change(old.length, 0, saved(step.rule))
      break
    case 'insert':
      change(step.at, 0, saved(step.rule))
      break
    case 'delete': {
      const index = step.at ?? old.findIndex(({ text }) => text === step.rule.text)
      if (index !== -1) change(index, 1)
      break
    }
    case 'policy':
      chains.set(name, { rules: old, policy: step.policy })
  }
}
