import { invalid } from '../errors.ts'
import { isBuiltin, isTable, type Ruleset, type Table } from './model.ts'
import { checkChainName } from './names.ts'

/** Checks a table and one of its chains, built in or not. */
export function checkPlace(table: Table, chain: string): void {
  if (!isTable(table)) invalid(`${JSON.stringify(table)} is not a table (filter, mangle, nat, raw, security)`)
  if (!isBuiltin(table, chain)) checkChainName(table, chain)
}

/** Checks the places of a ruleset that may not come from the builder: it is plain data, and may come from a file. */
export function checkPlaces(rules: Ruleset): void {
  if (!Array.isArray(rules.chains) || !Array.isArray(rules.rules)) {
    invalid('this is not a ruleset: it has no list of chains or none of rules')
  }
  const seen = new Set<string>()
  for (const { table, chain } of [...rules.chains.map(({ table, name }) => ({ table, chain: name })), ...rules.rules]) {
    const place = `${table} ${chain}`
    if (seen.has(place)) continue
    seen.add(place)
    checkPlace(table, chain)
  }
}
