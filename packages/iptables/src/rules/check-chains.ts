import { invalid } from '../errors.ts'
import { isBuiltin, isTable, type Ruleset, type Table } from './model.ts'
import { checkChainName } from './names.ts'

/** Validates the name of a table, and of a built-in or user-defined chain in the table. */
export function checkTableAndChain(table: Table, chain: string): void {
  if (!isTable(table)) invalid(`${JSON.stringify(table)} is not a table (filter, mangle, nat, raw, security)`)
  if (!isBuiltin(table, chain)) checkChainName(table, chain)
}

/** Validates all tables and chains of a ruleset. The ruleset may come from a file instead of the builder. */
export function checkTablesAndChains(rules: Ruleset): void {
  if (!Array.isArray(rules.chains) || !Array.isArray(rules.rules)) {
    invalid('invalid ruleset: the list of chains or the list of rules is missing')
  }
  const seen = new Set<string>()
  for (const { table, chain } of [...rules.chains.map(({ table, name }) => ({ table, chain: name })), ...rules.rules]) {
    const location = `${table} ${chain}`
    if (seen.has(location)) continue
    seen.add(location)
    checkTableAndChain(table, chain)
  }
}
