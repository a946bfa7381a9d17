import { type Family, isBuiltin, type Ruleset, rulesFor, type Table, tables } from '../rules/model.ts'
import { ruleLine } from './quote.ts'
import { ruleArgs } from './rule-args.ts'

/** Restore text that removes a ruleset without a read. The kernel refuses the text if a rule is missing. */
export function removalText(rules: Ruleset, family: Family): string {
  const deletes = new Map<Table, string[]>()
  const own = new Map<Table, Set<string>>()
  for (const { table, name } of rules.chains) listed(own, table, () => new Set()).add(name)
  for (const rule of rulesFor(rules, family)) {
    if (!isBuiltin(rule.table, rule.chain)) {
      listed(own, rule.table, () => new Set()).add(rule.chain)
      continue
    }
    const line = ruleLine(ruleArgs(rule, family))
    listed(deletes, rule.table, () => []).push(`-D ${rule.chain} ${line}`.trimEnd())
  }
  let text = ''
  for (const table of tables) {
    const lines = deletes.get(table)
    if (lines === undefined) continue
    const chains = [...(own.get(table) ?? [])]
    // The line `:CHAIN` creates a missing chain, so that the later `-X` succeeds.
    const empty = chains.map((name) => `:${name} - [0:0]`)
    text += [`*${table}`, ...empty, ...lines, ...chains.map((name) => `-X ${name}`), 'COMMIT\n'].join('\n')
  }
  return text
}

// internal

function listed<V>(map: Map<Table, V>, table: Table, make: () => V): V {
  const found = map.get(table) ?? make()
  map.set(table, found)
  return found
}
