import type { Chain, Ruleset, Table } from '@cni/nftables/rules'

/**
 * Returns the ruleset without empty chains, without jumps to empty chains, and without tables that have no chain left.
 */
export function inUse({ tables }: Ruleset): Ruleset {
  return { tables: tables.map(inUseOf).filter(({ chains }) => chains.length > 0) }
}

function inUseOf(table: Table): Table {
  const chains = table.chains.filter(({ rules }) => rules.length > 0)
  if (chains.length === table.chains.length) return table
  const names = new Set(chains.map(({ name }) => name))
  const remaining = chains.map((chain) => withoutJumps(chain, names))
  // Repeats until no chain is empty, because a chain may become empty by the removal of its jumps.
  const next = { ...table, chains: remaining }
  return remaining.some(({ rules }) => rules.length === 0) ? inUseOf(next) : next
}

function withoutJumps(chain: Chain, names: ReadonlySet<string>): Chain {
  const rules = chain.rules.filter(({ statements }) =>
    statements.every((statement) => statement.kind !== 'jump' || names.has(statement.chain)),
  )
  return rules.length === chain.rules.length ? chain : { ...chain, rules }
}
