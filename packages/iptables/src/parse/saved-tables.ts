import type { NftRule } from '@cni/nftables/wire'
import { IptablesError } from '../errors.ts'
import { type Family, isBuiltin, isTable, type Rule, type Table } from '../rules/model.ts'
import { type CanonicalRule, canonical } from './canonical.ts'
import { targetName } from './normalize-target.ts'
import { tokenize } from './tokenize.ts'

/** Rule from the kernel or from a text. */
export class SavedRule {
  /** Rule of the ruleset from which this `SavedRule` was created, else `undefined`. */
  readonly rule: Rule | undefined
  readonly #read: string | KernelRule
  readonly #family: Family
  #canonical: CanonicalRule | undefined

  /** @param rule - rule of a ruleset whose text is `read`; `undefined` for a rule from the kernel or from a text */
  constructor(
    read:
      | string
      | {
          readonly rule: NftRule
          /** Text of the rule as `iptables-save` prints it. */
          readonly text: string
          readonly target: string
          readonly form: string
        },
    family: Family,
    rule?: Rule,
  ) {
    this.#read = read
    this.#family = family
    this.rule = rule
  }

  /** Text of the rule after `-A CHAIN`, without counters. */
  get text(): string {
    return typeof this.#read === 'string' ? this.#read : this.#read.text
  }

  /** Rule as netlink read it from the kernel; `undefined` for a rule from text. */
  get source(): NftRule | undefined {
    return typeof this.#read === 'string' ? undefined : this.#read.rule
  }

  /** Bytes of the rule's expressions, without counters. Equal bytes mean equal rules, but not conversely. */
  get form(): string | undefined {
    return typeof this.#read === 'string' ? undefined : this.#read.form
  }

  get canonical(): CanonicalRule {
    this.#canonical ??= canonical(tokenize(this.text), this.#family)
    return this.#canonical
  }

  get key(): string {
    return this.canonical.key
  }

  /** Name of the rule's target or target chain. Avoids a full parse, because a full parse is slow. */
  get target(): string {
    if (typeof this.#read !== 'string') return this.#read.target
    // A comment may be the unquoted word `-j`. In that case, an option follows instead of a target.
    const name = this.#read.includes('"') ? undefined : /(?:^| )-[jg] ([^-!\s]\S*)/.exec(this.#read)?.[1]
    return name === undefined ? this.canonical.target : targetName(name)
  }
}

/** Rule as netlink read it from the kernel, with its decoded text. */
export type KernelRule = Exclude<ConstructorParameters<typeof SavedRule>[0], string>

/** Rules of one family: its tables, their chains, and each chain's rules in order. */
export interface SavedTables {
  readonly family: Family
  readonly tables: ReadonlyMap<
    Table,
    ReadonlyMap<
      string,
      {
        /** Policy of the chain, if it is a built-in chain. */
        policy?: string
        readonly rules: SavedRule[]
      }
    >
  >
}

/** Chain and its rules, as read from the kernel or from a text. */
export type SavedChain = NonNullable<ReturnType<NonNullable<ReturnType<SavedTables['tables']['get']>>['get']>>

/**
 * Parses the output of `iptables-save` or `iptables -S`, or restore text. Skips counters, comments and unknown tables.
 * Throws `IptablesError('PARSE')` for any other line.
 *
 * @param table - the table to which lines before the first `*table` belong, as in the output of `iptables -t nat -S`.
 */
export function parseSave(text: string, family: Family, table?: Table): SavedTables {
  const tables = new Map<Table, Map<string, SavedChain>>()
  const open = (name: Table) => {
    const chains = tables.get(name) ?? new Map<string, SavedChain>()
    tables.set(name, chains)
    return chains
  }
  let current = table === undefined ? undefined : open(table)
  let skipping = false
  for (const [number, line] of linesOf(text, family)) {
    if (line === '' || line.startsWith('#') || line === 'COMMIT') continue
    if (line.startsWith('*')) {
      const name = line.slice(1).trim()
      skipping = !isTable(name)
      current = isTable(name) ? open(name) : undefined
    } else if (!skipping && (current === undefined || !readLine(current, line, family))) {
      notUnderstood(number, line, family)
    }
  }
  return { family, tables }
}

// internal

/**
 * Splits `iptables-save` output into lines with their numbers. A rule whose comment contains line breaks is one line.
 */
function* linesOf(text: string, family: Family): Generator<[number: number, line: string]> {
  let open: [number, string] | undefined
  for (const [index, raw] of text.split('\n').entries()) {
    const [number, line]: [number, string] = open === undefined ? [index + 1, raw] : [open[0], `${open[1]}\n${raw}`]
    open = /^\s*[^#].* --comment "(?:[^"\\]|\\.)*$/s.test(line) ? [number, line] : undefined
    if (open === undefined) yield [number, line.trim()]
  }
  if (open !== undefined) notUnderstood(...open, family)
}

function notUnderstood(number: number, line: string, family: Family): never {
  throw new IptablesError('PARSE', `line ${number} of the ${family} rules is not understood: ${line}`)
}

type Chains = Map<string, SavedChain>

function readLine(chains: Chains, line: string, family: Family): boolean {
  if (line.startsWith(':')) {
    const [name, policy] = line.slice(1).split(/\s+/)
    if (name === undefined || policy === undefined) return false
    chains.set(name, policy === '-' ? { rules: [] } : { policy, rules: [] })
    return true
  }
  const command = /^(?:\[\d+:\d+\]\s+)?(-[A-Z]|--[a-z-]+)\s+("?)(\S+?)\2(?:\s+(.*))?$/s.exec(line)
  if (command === null) return false
  const [, verb = '', , name = '', rest = ''] = command
  switch (verb) {
    case '-A':
    case '--append':
      chain(chains, name).rules.push(new SavedRule(rest, family))
      return true
    case '-I':
    case '--insert': {
      const [, position = '1', text = rest] = /^(\d+)(?:\s+(.*))?$/s.exec(rest)?.map((part) => part ?? '') ?? []
      chain(chains, name).rules.splice(Number(position) - 1, 0, new SavedRule(text, family))
      return true
    }
    case '-N':
    case '--new-chain':
      chain(chains, name)
      return true
    case '-P':
    case '--policy':
      chain(chains, name).policy = rest.split(/\s/)[0] ?? ''
      return true
    default:
      return false
  }
}

function chain(chains: Chains, name: string): SavedChain {
  const found = chains.get(name)
  if (found !== undefined) return found
  const created: SavedChain = { rules: [] }
  chains.set(name, created)
  return created
}

/** Prints tables of rules as text for people and tests. Omits empty built-in chains with the policy ACCEPT. */
export function saveText(snapshot: SavedTables): string {
  let text = ''
  for (const [table, chains] of [...snapshot.tables].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const heads = [...chains].flatMap(([name, { policy = 'ACCEPT' }]) => {
      if (!isBuiltin(table, name)) return `:${name} - [0:0]\n`
      return policy === 'ACCEPT' ? [] : `:${name} ${policy} [0:0]\n`
    })
    const body = [
      ...heads,
      ...[...chains].flatMap(([name, { rules }]) => rules.map(({ text }) => `${`-A ${name} ${text}`.trimEnd()}\n`)),
    ]
    if (body.length > 0) text += `*${table}\n${body.join('')}COMMIT\n`
  }
  return text
}
