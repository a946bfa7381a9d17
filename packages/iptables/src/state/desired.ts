import { encodedRule } from '../encode/encoded.ts'
import { canonicalRule } from '../parse/canonical.ts'
import type { SavedTables } from '../parse/saved-tables.ts'
import { chainsFor, type Family, isBuiltin, type Rule, type Ruleset, rulesFor, type Table } from '../rules/model.ts'
import { ruleLine } from '../text/quote.ts'
import { ruleArgs } from '../text/rule-args.ts'

/** Rule of a ruleset that should exist in the kernel. */
export class DesiredRule {
  readonly rule: Rule
  readonly #family: Family
  #text: string | undefined
  #key: string | undefined

  constructor(rule: Rule, family: Family) {
    this.rule = rule
    this.#family = family
  }

  /** Text of the rule after `-A CHAIN`. */
  get text(): string {
    this.#text ??= ruleLine(ruleArgs(this.rule, this.#family))
    return this.#text
  }

  /** Canonical form of the rule as a string: equal rules have equal keys. */
  get key(): string {
    this.#key ??= canonicalRule(this.rule, this.#family).key
    return this.#key
  }

  /** Bytes of the rule's expressions; `undefined` if only an iptables program can write the rule. */
  get form(): string | undefined {
    return encodedRule(this.rule, this.#family)?.form
  }

  /** Author's position of the rule in its chain, from 1; `undefined` for the end. */
  get position(): number | undefined {
    return this.rule.position
  }
}

/** Desired state of one table: the chains and rules that the ruleset demands there. */
export interface DesiredTable {
  /** The ruleset's own chains in the table, with their rules in final order. */
  readonly own: ReadonlyMap<string, readonly DesiredRule[]>
  /** Declared but unused chains, which must not exist. An older ruleset may have created them. */
  readonly absent: readonly string[]
  /** The ruleset's rules in built-in chains, in their final relative order. */
  readonly builtin: ReadonlyMap<string, readonly DesiredRule[]>
  /** Rules to delete from built-in chains. Equal rules may belong to another program. */
  readonly removable: ReadonlyMap<string, readonly DesiredRule[]>
}

/** Desired state of one family: the chains and rules that a ruleset demands. */
export interface DesiredState {
  readonly family: Family
  readonly tables: ReadonlyMap<Table, DesiredTable>
}

/** Computes the chains and rules that a ruleset demands in one family. */
export function desiredState(rules: Ruleset, family: Family): DesiredState {
  const present = new Set(chainsFor(rules, family).map(({ table, name }) => `${table} ${name}`))
  const tables = new Map<Table, MutableTable>()
  for (const table of tablesOf(rules)) tables.set(table, emptyTable())
  for (const { table, name } of rules.chains) {
    if (present.has(`${table} ${name}`)) tables.get(table)?.own.set(name, [])
    else tables.get(table)?.absent.push(name)
  }
  for (const rule of rulesFor(rules, family)) {
    const table = tables.get(rule.table)
    if (table === undefined) continue
    const chains = isBuiltin(rule.table, rule.chain) ? table.builtin : table.own
    const list = chains.get(rule.chain) ?? []
    chains.set(rule.chain, list)
    const desired = new DesiredRule(rule, family)
    if (rule.position === undefined) list.push(desired)
    else list.splice(rule.position - 1, 0, desired)
  }
  return { family, tables }
}

/** Computes the state of a family after a removal: no chain or rule of the ruleset exists. */
export function removedState(rules: Ruleset, family: Family): DesiredState {
  const tables = new Map<Table, DesiredTable>()
  for (const [table, { own, absent, builtin }] of desiredState(rules, family).tables) {
    tables.set(table, { own: new Map(), absent: [...absent, ...own.keys()], builtin: new Map(), removable: builtin })
  }
  return { family, tables }
}

/** Restricts the desired chains and rules to some tables. */
export const onlyTables = ({ family, tables }: DesiredState, names: readonly Table[]): DesiredState => ({
  family,
  tables: new Map([...tables].filter(([table]) => names.includes(table))),
})

/** True if the kernel holds any chain or rule of the ruleset in a family. */
export function holdsOurs(desired: DesiredState, snapshot: SavedTables): boolean {
  return [...desired.tables].some(([table, { own, absent, builtin }]) => {
    const chains = snapshot.tables.get(table)
    if (chains === undefined) return false
    if ([...own.keys(), ...absent].some((name) => chains.has(name))) return true
    return [...builtin].some(([name, rules]) => {
      const keys = new Set(rules.map(({ key }) => key))
      return chains.get(name)?.rules.some(({ key }) => keys.has(key)) === true
    })
  })
}

// internal

interface MutableTable extends DesiredTable {
  readonly own: Map<string, DesiredRule[]>
  readonly absent: string[]
  readonly builtin: Map<string, DesiredRule[]>
}

const emptyTable = (): MutableTable => ({ own: new Map(), absent: [], builtin: new Map(), removable: new Map() })

const tablesOf = (rules: Ruleset) => new Set([...rules.chains, ...rules.rules].map(({ table }) => table))
