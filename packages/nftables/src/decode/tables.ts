import type { Chain, Rule, Ruleset, Table } from '../rules/model.ts'
import type { NftChain, NftRule } from '../wire/dumps/records.ts'
import type { Sets } from './reading.ts'
import type { TableRecords } from './records.ts'
import { decodeSet } from './sets.ts'
import { decodeStatements } from './statements.ts'

/** Decodes records of kernel tables. Skips sets that the data model cannot express. */
export function decodeTables(records: readonly TableRecords[]): Ruleset {
  return { tables: records.map(decodeTable) }
}

function decodeTable({ table, chains, sets, rules }: TableRecords): Table {
  const { family, table: name, comment } = table
  const byChain = rulesByChain(rules)
  return {
    ...{ family, name },
    ...(comment === undefined ? {} : { comment }),
    chains: chains.map((chain) => decodeChain(chain, byChain.get(chain.chain) ?? [], sets)),
    sets: [...sets.values()].flatMap((record) =>
      record.set.flags?.includes('anonymous') === true ? [] : (decodeSet(record) ?? []),
    ),
  }
}

function decodeChain({ chain, base, policy, comment }: NftChain, rules: readonly NftRule[], sets: Sets): Chain {
  return {
    name: chain,
    ...(base === undefined ? {} : { base }),
    ...(base === undefined || policy === undefined ? {} : { policy }),
    ...(comment === undefined ? {} : { comment }),
    rules: rules.map((rule) => decodeRule(rule, sets)),
  }
}

/** Decodes a kernel rule into statements. `sets` are the sets of the rule's table. */
export function decodeRule({ family, expressions, comment }: NftRule, sets: Sets): Rule {
  return {
    statements: decodeStatements(family, expressions, sets),
    ...(comment === undefined ? {} : { comment }),
  }
}

/** Groups the rules of a table by chain, in the kernel's order. */
export function rulesByChain(rules: readonly NftRule[]): ReadonlyMap<string, readonly NftRule[]> {
  const byChain = new Map<string, NftRule[]>()
  for (const rule of rules) {
    const list = byChain.get(rule.chain)
    if (list === undefined) byChain.set(rule.chain, [rule])
    else list.push(rule)
  }
  return byChain
}
