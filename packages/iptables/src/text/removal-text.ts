import { type Family, isBuiltin, type Ruleset, rulesFor, type Table, tables } from '../rules/model.ts'
import { ruleLine } from './quote.ts'
import { ruleArgs } from './rule-args.ts'

/**
 * Text that removes a ruleset from one family without reading the family's rules first. Each table is one transaction,
 * which deletes the ruleset's rules in built-in chains and removes the ruleset's chains. The kernel refuses the text
 * unless all these rules exist and no other rule jumps to these chains.
 *
 * The text omits tables in which the ruleset has no rules in a built-in chain. Reason: the kernel would accept the
 * removal there even if no call ever wrote the ruleset. Some back ends would also create the table.
 */
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
    // The line `:CHAIN` empties or creates a chain if `iptables-restore` runs with `--noflush`. So the later `-X`
    // succeeds even if this family never had the chain.
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
