import { invalid } from '../errors.ts'
import type { Builders, TableSpec } from './builder/builder-types.ts'
import { Draft } from './draft.ts'
import type { RuleLocation } from './draft-targets.ts'
import { families, isBuiltin, isTable, type Rule, type Ruleset, rulesFor, type Table } from './model.ts'
import { checkChainName } from './names.ts'
import { checkInteger } from './numbers.ts'
import { checkReach } from './placement.ts'

/**
 * Creates a ruleset of several tables and both families, as plain data. The argument `chains` names the tables and
 * their user-defined chains. The callback `build` returns the rules in order.
 *
 * The TypeScript compiler reports some mistakes:
 * - an unknown chain
 * - a target outside its table
 * - a jump to an undeclared chain
 * - a single address in a rule for both families
 *
 * In JavaScript, `ruleset` throws `IptablesError('INVALID_RULE')` for them.
 *
 * @example
 * ```ts
 * import { restoreText } from '@cni/iptables/rules'
 * import { ruleset } from '@cni/iptables'
 *
 * const rules = ruleset({ nat: ['EX_OUTPUT', 'EX_REDIRECT'] }, (t) => [
 *   t.nat.on('OUTPUT').proto('tcp').jump('EX_OUTPUT'),
 *   t.nat.on('EX_OUTPUT').uid(1337).return(),
 *   t.nat.on('EX_OUTPUT').not.dst({ ipv4: '127.0.0.1/32', ipv6: '::1/128' }).jump('EX_REDIRECT'),
 *   t.nat.on('EX_REDIRECT').proto('tcp').redirect(15001),
 * ])
 * export const text = restoreText(rules, 'ipv4')
 * ```
 */
export function ruleset<const Spec extends TableSpec>(
  chains: Spec,
  build: (t: Builders<Spec>) => readonly Rule[],
): Ruleset {
  const own = ownChains(chains)
  const names = new Map(Object.keys(chains).map((table) => [table, new Set<string>()]))
  for (const { table, name } of own) names.get(table)?.add(name)
  const drafts: Record<string, TableDrafts> = {}
  for (const [table, set] of names) if (isTable(table)) drafts[table] = tableDrafts(table, set)
  // The cast is safe: a Draft has all methods of every RuleBuilder.
  const rules = build(drafts as unknown as Builders<Spec>)
  for (const rule of rules) checkBelongs(rule, names)
  const result: Ruleset = Object.freeze({ chains: Object.freeze(own), rules: Object.freeze([...rules]) })
  checkPositions(result)
  checkReach(result)
  return result
}

// internal

interface TableDrafts {
  on(chain: string): Draft
  insert(chain: string, position?: number): Draft
}

function tableDrafts(table: Table, own: ReadonlySet<string>): TableDrafts {
  const locationOf = (chain: string): RuleLocation => {
    if (own.has(chain) || isBuiltin(table, chain)) return { table, chain, own }
    return invalid(`${table}: ${JSON.stringify(chain)} is neither built in nor declared as a chain of this table`)
  }
  return Object.freeze({
    on: (chain: string) => new Draft(locationOf(chain)),
    insert: (chain: string, position = 1) =>
      new Draft({
        ...locationOf(chain),
        position: checkInteger(position, 1, 0x7fffffff, `insert into ${table} ${chain}`),
      }),
  })
}

function ownChains(chains: TableSpec): Ruleset['chains'][number][] {
  return Object.entries(chains).flatMap(([table, names]) => {
    if (!isTable(table)) return invalid(`${JSON.stringify(table)} is not a table (filter, mangle, nat, raw, security)`)
    if (new Set(names).size !== names.length) invalid(`table ${table} declares a chain twice: ${names.join(', ')}`)
    return names.map((name) => Object.freeze({ table, name: checkChainName(table, name) }))
  })
}

function checkBelongs(rule: Rule, names: ReadonlyMap<string, ReadonlySet<string>>): void {
  const own = names.get(rule.table)
  if (own === undefined) invalid(`table ${JSON.stringify(rule.table)} is not declared in this ruleset`)
  if (!own.has(rule.chain) && !isBuiltin(rule.table, rule.chain)) {
    invalid(`${rule.table}: chain ${JSON.stringify(rule.chain)} is not declared in this ruleset`)
  }
  const { target } = rule
  if ((target.target === 'jump' || target.target === 'goto') && !own.has(target.chain)) {
    invalid(`${rule.table} ${rule.chain}: jump to ${JSON.stringify(target.chain)}, not declared in this ruleset`)
  }
}

/** Refuses a position beyond the end of a chain that the ruleset owns. */
function checkPositions(rules: Ruleset): void {
  if (rules.rules.every(({ position }) => position === undefined || position === 1)) return
  for (const family of families) {
    const lengths = new Map<string, number>()
    for (const rule of rulesFor(rules, family)) {
      if (isBuiltin(rule.table, rule.chain)) continue
      const key = `${rule.table} ${rule.chain}`
      const length = lengths.get(key) ?? 0
      if (rule.position !== undefined && rule.position > length + 1) {
        invalid(`${key}: insert at ${rule.position}, but the chain has ${length} rules at that point (${family})`)
      }
      lengths.set(key, length + 1)
    }
  }
}
