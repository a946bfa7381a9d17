import { invalid } from '../wire/nft-error.ts'
import type { Builders } from './builder/builder-types.ts'
import type { Placed, TableParts } from './builder/context.ts'
import { canonicalSet } from './canonical-set.ts'
import { checkReach } from './check-reach.ts'
import { Draft } from './draft.ts'
import type { Chain, NamedSet, Rule, Ruleset, Table } from './model.ts'
import { checkName } from './names.ts'

/**
 * Tables of one family that a program owns completely. The parameter `tables` declares the chains and sets of each
 * table. The function `build` returns the rules in order.
 *
 * These mistakes do not compile, and throw `NftError('INVALID')`:
 *
 * - a wrong table, an undeclared chain or set, an address of the other family
 * - `tproxy` or a redirect port without a protocol, `redirect` outside of nat
 *
 * @example
 * ```ts
 * import { base, chain, nftRuleset } from '@cni/nftables/rules'
 *
 * export const rules = nftRuleset(
 *   'inet',
 *   { ex: { output: base('nat', 'output', -100), 'to-proxy': chain } },
 *   (t) => [
 *     t.ex.on('output').skuid(1337).counter().return(),
 *     t.ex.on('output').ip('daddr').not('127.0.0.1/32').tcp('dport').not([53, 15008]).counter().jump('to-proxy'),
 *     t.ex.on('to-proxy').l4proto('tcp').counter().redirect(15001).comment('to the proxy'),
 *   ],
 * )
 * ```
 */
export function nftRuleset<
  const F extends 'inet' | 'ip' | 'ip6',
  const Tables extends Readonly<Record<string, TableParts>>,
>(family: F, tables: Tables, build: (t: Builders<F, Tables>) => readonly Placed[]): Ruleset {
  if (!FAMILIES.includes(family)) invalid(`${JSON.stringify(family)} is not a family of rulesets (inet, ip, ip6)`)
  const drafts: Record<string, { on(chain: string): Draft }> = {}
  const rules = new Map<string, Rule[]>()
  for (const [table, parts] of Object.entries(tables)) {
    checkName(table, 'table')
    for (const [name, { part }] of Object.entries(parts)) {
      if (part !== 'set') rules.set(keyOf(table, checkName(name, `table ${table}`)), [])
    }
    const on = (chain: string) => {
      if (!rules.has(keyOf(table, chain))) return undeclared(table, chain)
      return new Draft({ family, table, chain })
    }
    drafts[table] = Object.freeze({ on })
  }
  // The type cast is safe, because `Draft` implements the methods of every `RuleBuilder`.
  for (const { table, chain, rule } of build(drafts as unknown as Builders<F, Tables>)) {
    const list = rules.get(keyOf(table, chain)) ?? undeclared(table, chain)
    list.push(rule)
  }
  const list = Object.entries(tables).map(([name, parts]) => tableOf(family, name, parts, rules))
  for (const table of list) checkReach(table)
  return Object.freeze({ tables: Object.freeze(list) })
}

// internal

const FAMILIES: readonly string[] = ['inet', 'ip', 'ip6']

const keyOf = (table: string, chain: string) => `${table}\0${chain}`

function undeclared(table: string, chain: string): never {
  return invalid(`table ${JSON.stringify(table)} declares no chain ${JSON.stringify(chain)} in this ruleset`)
}

function tableOf(
  family: 'inet' | 'ip' | 'ip6',
  name: string,
  parts: TableParts,
  rules: ReadonlyMap<string, readonly Rule[]>,
): Table {
  const chains: Chain[] = []
  const sets: NamedSet[] = []
  for (const [each, part] of Object.entries(parts)) {
    if (part.part === 'set') {
      const { key, data, options } = part
      sets.push(canonicalSet({ ...options, name: each, key, ...(data === undefined ? undefined : { data }) }, name))
      continue
    }
    const where = part.part === 'base' ? { base: Object.freeze({ ...part.base }), policy: part.policy } : undefined
    const own = Object.freeze([...(rules.get(keyOf(name, each)) ?? [])])
    chains.push(Object.freeze({ name: each, ...where, rules: own }))
  }
  return Object.freeze({ family, name, chains: Object.freeze(chains), sets: Object.freeze(sets) })
}
