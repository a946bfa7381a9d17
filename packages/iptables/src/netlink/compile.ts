import { type Batch, type ChainName, compatOf, type RuleSpec, type TableName } from '@cni/nftables/wire'
import { encodedRule } from '../encode/encoded.ts'
import { SavedRule, type SavedTables } from '../parse/saved-tables.ts'
import { type Family, isBuiltin, type Table } from '../rules/model.ts'
import type { Step, StepRule, Steps } from '../steps/steps.ts'
import { baseOf } from './base-chains.ts'

/** Current rules of a family. The member `saved` contains all built-in chains, even if nf_tables lacks some. */
export interface Found {
  readonly saved: SavedTables
  /** Chains that exist in nf_tables, as `table chain`. Excludes other programs' chains with built-in names. */
  readonly chains: ReadonlySet<string>
}

/** Change of a rule or chain that one message of a netlink batch makes. */
export interface Purpose {
  readonly family: Family
  readonly table: Table
  readonly step: Step
}

/** Error for a rule that netlink cannot write, because this package does not model the rule. */
export class NotModelled extends Error {
  constructor(chain: string, { text }: StepRule) {
    super(`-A ${chain} ${text}`)
  }
}

/** Adds changes of rules and chains to a netlink batch. Throws {@link NotModelled}. */
export function addSteps(batch: Batch, found: Found, steps: Steps, purposes: Purpose[]): void {
  for (const [table, list] of steps) {
    const writer = new TableWriter(batch, found, table, list)
    for (const step of list) {
      writer.take(step)
      while (purposes.length < batch.size) purposes.push({ family: found.saved.family, table, step })
    }
  }
}

/** Family name of nf_tables: `ip` for IPv4, `ip6` for IPv6. */
export const nftFamily = (family: Family) => (family === 'ipv4' ? 'ip' : 'ip6')

// internal

/** Reference to a rule: its kernel handle, or the batch id of a new rule. */
type RuleReference = { readonly handle: bigint } | { readonly id: number }

class TableWriter {
  readonly #batch: Batch
  readonly #found: Found
  readonly #table: Table
  readonly #tableName: TableName
  readonly #chains = new Map<string, RuleReference[]>()
  readonly #created = new Set<string>()
  readonly #inserted: ReadonlySet<string>
  #hasTable: boolean

  constructor(batch: Batch, found: Found, table: Table, steps: readonly Step[]) {
    this.#batch = batch
    this.#found = found
    this.#table = table
    this.#tableName = { family: nftFamily(found.saved.family), table }
    this.#hasTable = found.saved.tables.has(table)
    this.#inserted = new Set(steps.flatMap((each) => (each.step === 'insert' ? [each.chain] : [])))
  }

  take(step: Step): void {
    switch (step.step) {
      case 'create':
      case 'renew':
        this.#chains.set(step.chain, [])
        if (this.#exists(step.chain)) this.#batch.flush(this.#name(step.chain))
        else this.#create(step.chain)
        break
      case 'flush':
        this.#chains.set(step.chain, [])
        if (this.#exists(step.chain)) this.#batch.flush(this.#name(step.chain))
        break
      case 'append':
        this.#add(step.chain, this.#rules(step.chain).length, step.rule)
        break
      case 'insert':
        this.#add(step.chain, step.at, step.rule)
        break
      case 'delete':
        this.#delete(step.chain, step.rule)
        break
      case 'remove':
        this.#batch.deleteChain(this.#name(step.chain))
        break
      case 'policy': {
        const policy = step.policy === 'DROP' ? 'drop' : 'accept'
        this.#ensureTable()
        this.#created.add(step.chain)
        this.#batch.addChain({ ...this.#name(step.chain), base: baseOf(this.#table, step.chain), policy })
      }
    }
  }

  #add(chain: string, at: number, rule: StepRule): void {
    if (isBuiltin(this.#table, chain)) this.#ensureChain(chain)
    const encoded = encodingOf(rule, this.#found.saved.family)
    if (encoded === undefined) throw new NotModelled(chain, rule)
    const rules = this.#rules(chain)
    // A rule that this batch inserts may need a reference to this new rule. The new rule has no handle yet.
    const id = this.#inserted.has(chain) ? this.#batch.size + 1 : undefined
    const { bytes: expressions, compat } = encoded
    const { family, table } = this.#tableName
    this.#batch.addRule({ family, table, chain, expressions, compat, id, place: positionAt(rules, at) })
    rules.splice(at, 0, { id: id ?? 0 })
  }

  #delete(chain: string, rule: StepRule): void {
    const handle = rule instanceof SavedRule ? rule.source?.handle : undefined
    if (handle === undefined) throw new NotModelled(chain, rule)
    const rules = this.#rules(chain)
    const at = rules.findIndex((each) => 'handle' in each && each.handle === handle)
    if (at !== -1) rules.splice(at, 1)
    this.#batch.deleteRule({ ...this.#name(chain), handle })
  }

  /** Rules of the chain after all changes that the batch contains so far. */
  #rules(chain: string): RuleReference[] {
    const known = this.#chains.get(chain)
    if (known !== undefined) return known
    const there = this.#found.saved.tables.get(this.#table)?.get(chain)?.rules ?? []
    const rules = there.map(({ source }): RuleReference => ({ handle: source?.handle ?? 0n }))
    this.#chains.set(chain, rules)
    return rules
  }

  #ensureChain(chain: string): void {
    if (!this.#exists(chain)) this.#create(chain)
  }

  #exists(chain: string): boolean {
    return this.#created.has(chain) || this.#found.chains.has(`${this.#table} ${chain}`)
  }

  #create(chain: string): void {
    this.#ensureTable()
    this.#created.add(chain)
    const base = isBuiltin(this.#table, chain) ? baseOf(this.#table, chain) : undefined
    this.#batch.addChain({ ...this.#name(chain), base }, { exclusive: true })
  }

  /** Adds a message that creates the table if it is missing. An existing table stays unchanged. */
  #ensureTable(): void {
    if (this.#hasTable) return
    this.#hasTable = true
    this.#batch.addTable(this.#tableName)
  }

  #name(chain: string): ChainName {
    return { ...this.#tableName, chain }
  }
}

function positionAt(rules: readonly RuleReference[], at: number): NonNullable<RuleSpec['place']> {
  if (at >= rules.length) return 'last'
  if (at === 0) return 'first'
  const next = rules[at]
  if (next === undefined) return 'last'
  return 'handle' in next ? { before: next.handle } : { beforeId: next.id }
}

interface Encoding {
  readonly bytes: Uint8Array
  readonly compat: RuleSpec['compat']
}

/** Encodes a rule for the batch. A rule that was read from the kernel keeps its bytes. */
function encodingOf(rule: StepRule, family: Family): Encoding | undefined {
  if (rule instanceof SavedRule && rule.source !== undefined) {
    const { bytes, expressions } = rule.source
    return { bytes, compat: compatOf(expressions) }
  }
  return rule.rule === undefined ? undefined : encodedRule(rule.rule, family)
}
