import { IptablesError, invalid } from '../errors.ts'
import { type SavedChain, SavedRule, type SavedTables } from '../parse/saved-tables.ts'
import { type Family, isBuiltin, type Rule, type Table } from '../rules/model.ts'
import { isExtensionTarget } from '../rules/names.ts'
import { ruleLine } from '../text/quote.ts'
import { ruleArgs } from '../text/rule-args.ts'

/** In-memory copy of one family's tables. A transaction changes this copy and never writes it to the kernel. */
export class DraftTables {
  readonly family: Family
  readonly #tables: Map<Table, Map<string, SavedChain>>

  constructor({ family, tables }: SavedTables) {
    this.family = family
    this.#tables = new Map([...tables].map(([table, chains]) => [table, new Map(chains)]))
  }

  get snapshot(): SavedTables {
    return { family: this.family, tables: this.#tables }
  }

  get(table: Table, chain: string): SavedChain | undefined {
    const found = this.#tables.get(table)?.get(chain)
    // A built-in chain of a missing table counts as empty: the kernel creates the table at its first use.
    return found ?? (isBuiltin(table, chain) ? { policy: 'ACCEPT', rules: [] } : undefined)
  }

  /** Returns the chain, or throws an error that names the missing chain. */
  need(table: Table, chain: string): SavedChain {
    return this.get(table, chain) ?? this.#missing(`${table} has no chain ${chain}; create it first`)
  }

  set(table: Table, chain: string, rules: readonly SavedRule[]): void {
    const chains = this.#tables.get(table) ?? new Map<string, SavedChain>()
    this.#tables.set(table, chains)
    chains.set(chain, { ...this.get(table, chain), rules: [...rules] })
  }

  delete(table: Table, chain: string): void {
    this.#tables.get(table)?.delete(chain)
  }

  /** Makes all rules that jump to the chain `from` jump to the chain `to` instead. */
  redirectJumps(table: Table, from: string, to: string): void {
    for (const [name, { rules }] of this.#tables.get(table) ?? []) {
      if (!rules.some(({ target }) => target === from)) continue
      const renamed = rules.map((rule) => (rule.target === from ? this.#jumpTo(rule, from, to) : rule))
      this.set(table, name, renamed)
    }
  }

  /** Throws if a rule jumps to a missing chain, because the kernel's error names no rule. */
  check(before: SavedTables): void {
    for (const [table, chains] of this.#tables) {
      const old = before.tables.get(table)
      const deleted = [...(old?.keys() ?? [])].some((name) => !chains.has(name))
      for (const [name, chain] of chains) {
        if (!deleted && chain === old?.get(name)) continue
        const lost = chain.rules.find(
          ({ target }) => target !== '' && !isExtensionTarget(target) && !chains.has(target),
        )
        if (lost === undefined) continue
        this.#missing(`${table} ${name} jumps to the missing chain ${lost.target}: -A ${name} ${lost.text}`)
      }
    }
  }

  /** Converts a rule of the builder to the form in which the kernel would return the rule. */
  ruleOf(rule: Rule): SavedRule {
    return new SavedRule(ruleLine(ruleArgs(rule, this.family)), this.family, rule)
  }

  #jumpTo(rule: SavedRule, from: string, to: string): SavedRule {
    const text = rule.text.replace(new RegExp(`(^| )(-[jg]) ${from.replaceAll('.', '\\.')}(?= |$)`), `$1$2 ${to}`)
    const renamed = new SavedRule(text, this.family)
    return renamed.target === to
      ? renamed
      : invalid(`cannot rename ${from}: unsupported form of a jump to it: ${rule.text}`)
  }

  #missing(message: string): never {
    throw new IptablesError('NO_CHAIN', `${this.family}: ${message}`)
  }
}
