import type { SavedTables } from '../parse/saved-tables.ts'
import { chainsFor, type Ruleset, rulesFor, type Table, tables } from '../rules/model.ts'
import type { Step, Steps } from '../steps/steps.ts'
import { DesiredRule } from './desired.ts'

/** Plans the first write of a ruleset; `undefined` if an earlier call may have written it. */
export function freshSteps(rules: Ruleset, seen: SavedTables): Steps | undefined {
  const { family } = seen
  if (rules.chains.some(({ table, name }) => seen.tables.get(table)?.has(name) === true)) return undefined
  const steps = new Map<Table, Step[]>()
  for (const { table, name } of chainsFor(rules, family)) {
    const list = steps.get(table) ?? []
    steps.set(table, list)
    list.push({ step: 'create', chain: name })
  }
  for (const rule of rulesFor(rules, family)) {
    const list = steps.get(rule.table)
    if (list === undefined) return undefined
    list.push(stepFor(new DesiredRule(rule, family)))
  }
  return new Map(tables.flatMap((table) => (steps.has(table) ? [[table, steps.get(table) ?? []]] : [])))
}

// internal

function stepFor(rule: DesiredRule): Step {
  const { chain, position } = rule.rule
  return position === undefined ? { step: 'append', chain, rule } : { step: 'insert', chain, at: position - 1, rule }
}
