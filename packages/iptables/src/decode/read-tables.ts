import type { NftChain, NftRule } from '@cni/nftables/wire'
import { type SavedChain, SavedRule, type SavedTables } from '../parse/saved-tables.ts'
import { builtinChains, type Family, isBuiltin, type Table } from '../rules/model.ts'
import { ReadRule } from './read-rule.ts'
import { savedName } from './saved-word.ts'

/** Table names in the order in which `iptables-nft-save` prints the tables. */
const saveOrder: readonly Table[] = ['mangle', 'security', 'raw', 'filter', 'nat']

/** Converts a family's chains and rules from netlink to the form of `parseSave`. */
export function tablesFrom(chains: readonly NftChain[], rules: readonly NftRule[], family: Family): SavedTables {
  const own = family === 'ipv4' ? 'ip' : 'ip6'
  const all = new Map<string, Map<string, SavedChain>>()
  for (const { family: of, table, chain, base, policy = 'accept' } of chains) {
    if (of !== own) continue
    const found = all.get(table) ?? new Map<string, SavedChain>()
    all.set(table, found.set(chain, { ...(base === undefined ? {} : { policy: policy.toUpperCase() }), rules: [] }))
  }
  for (const rule of rules) {
    if (rule.family !== own) continue
    all
      .get(rule.table)
      ?.get(rule.chain)
      ?.rules.push(new SavedRule(new ReadRule(rule, family), family))
  }
  return {
    family,
    tables: new Map(
      saveOrder.flatMap((table) => {
        const found = all.get(table)
        return found === undefined ? [] : [[table, ordered(table, found)]]
      }),
    ),
  }
}

function ordered(table: Table, found: ReadonlyMap<string, SavedChain>): Map<string, SavedChain> {
  const list: [string, SavedChain][] = builtinChains[table].map((name) => [name, found.get(name) ?? unused()])
  const others = [...found].filter(([name]) => !isBuiltin(table, name)).sort(([a], [b]) => (a < b ? -1 : 1))
  return new Map([...list, ...others])
}

/** Creates an empty chain in place of a built-in chain that nf_tables does not contain yet. */
const unused = (): SavedChain => ({ policy: 'ACCEPT', rules: [] })

/** Prints tables as `iptables-nft-save` does, without comment lines and counters. */
export function savedText({ tables }: SavedTables): string {
  let text = ''
  for (const [table, chains] of tables) {
    text += `*${table}\n`
    for (const [name, { policy }] of chains) text += `:${savedName(name)} ${policy ?? '-'} [0:0]\n`
    for (const [name, { rules }] of chains) {
      for (const rule of rules) text += `${`-A ${savedName(name)} ${rule.text}`.trimEnd()}\n`
    }
    text += 'COMMIT\n'
  }
  return text
}
