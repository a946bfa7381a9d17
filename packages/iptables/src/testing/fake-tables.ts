import { canonical } from '../parse/canonical.ts'
import { SavedRule } from '../parse/saved-tables.ts'
import { tokenize } from '../parse/tokenize.ts'
import { builtinChains, type Family, isBuiltin, isTable, type Table } from '../rules/model.ts'
import { isExtensionTarget } from '../rules/names.ts'

/** Simulated iptables tables of one family and back end. A table exists after its first use. */
export class FakeTables {
  readonly family: Family
  #tables = new Map<Table, Chains>()
  #commits = 0

  constructor(family: Family) {
    this.family = family
  }

  /** Number of transactions that the simulated tables have committed. */
  get commits(): number {
    return this.#commits
  }

  get names(): Table[] {
    return [...this.#tables.keys()].sort()
  }

  /** Simulates `iptables-restore --noflush`. Returns the message of the first refused line. */
  restore(text: string): string | undefined {
    let open: { table: Table; chains: Chains } | undefined
    for (const [index, raw] of text.split('\n').entries()) {
      const line = raw.trim()
      const refuse = (why: string) => `iptables-restore: line ${index + 1} failed: ${why}.`
      if (line === '' || line.startsWith('#')) continue
      if (line.startsWith('*')) {
        const table = line.slice(1).trim()
        if (!isTable(table)) return refuse(`table ${table} does not exist`)
        open = { table, chains: new Map(this.#open(table)) }
      } else if (open === undefined) {
        return refuse('no table')
      } else if (line === 'COMMIT') {
        const dangling = danglingJump(open.chains, this.family)
        if (dangling !== undefined) return refuse(dangling)
        this.#tables.set(open.table, open.chains)
        this.#commits++
        open = undefined
      } else {
        const why = change(open.table, open.chains, line, this.family)
        if (why !== undefined) return refuse(why)
      }
    }
    return open === undefined ? undefined : 'iptables-restore: COMMIT expected at line 1'
  }

  /** Simulates `iptables-save`. `brief` omits empty built-in chains. */
  save({ brief = false } = {}): string {
    let text = ''
    for (const [table, chains] of [...this.#tables].sort(([a], [b]) => (a < b ? -1 : 1))) {
      const heads = [...chains].filter(([name, { policy }]) => !brief || !isBuiltin(table, name) || policy !== 'ACCEPT')
      const lines = heads.map(([name, { policy }]) => `:${name} ${policy} [0:0]`)
      const rules = [...chains].flatMap(([name, { rules: list }]) => list.map((rule) => `-A ${name} ${rule}`.trimEnd()))
      if (brief && lines.length + rules.length === 0) continue
      text += [`*${table}`, ...lines, ...rules, 'COMMIT', ''].join('\n')
    }
    return text
  }

  #open(table: Table): Chains {
    const found = this.#tables.get(table)
    if (found !== undefined) return found
    const created: Chains = new Map(builtinChains[table].map((name) => [name, { policy: 'ACCEPT', rules: [] }]))
    this.#tables.set(table, created)
    return created
  }
}

// internal

interface FakeChain {
  readonly policy: string
  readonly rules: readonly string[]
}

type Chains = Map<string, FakeChain>

function change(table: Table, chains: Chains, line: string, family: Family): string | undefined {
  const [, head, newPolicy = '-'] = /^:(\S+)(?: (\S+))?/.exec(line) ?? []
  if (head !== undefined) {
    // The line `:CHAIN` empties user-defined chains with `--noflush`, but not built-in chains.
    const rules = isBuiltin(table, head) ? chains.get(head)?.rules : undefined
    chains.set(head, { policy: isBuiltin(table, head) && newPolicy === '-' ? 'ACCEPT' : newPolicy, rules: rules ?? [] })
    return undefined
  }
  const [, verb = '', name = '', rest = ''] = /^(-\w)\s+(\S+)\s*(.*)$/.exec(line) ?? []
  const chain = chains.get(name)
  if (verb === '-N') {
    if (chain !== undefined) return 'Chain already exists'
    chains.set(name, { policy: '-', rules: [] })
    return undefined
  }
  if (chain === undefined) return 'No chain/target/match by that name'
  const { policy, rules } = chain
  const set = (list: readonly string[]) => void chains.set(name, { policy, rules: list })
  switch (verb) {
    case '-A':
      return set([...rules, rest])
    case '-I': {
      const [, position = '1', text = ''] = /^(?:(\d+)(?:\s+|$))?(.*)$/.exec(rest) ?? []
      if (Number(position) > rules.length + 1) return 'Index of insertion too big'
      return set(rules.toSpliced(Number(position) - 1, 0, text))
    }
    case '-D': {
      const index = /^\d+$/.test(rest) ? Number(rest) - 1 : indexOf(rules, rest, family)
      if (rules[index] === undefined) return 'Bad rule (does a matching rule exist in that chain?)'
      return set(rules.toSpliced(index, 1))
    }
    case '-P':
      if (!isBuiltin(table, name)) return 'Bad built-in chain name'
      chains.set(name, { policy: rest, rules })
      return undefined
    case '-F':
      return set([])
    case '-X':
      if (isBuiltin(table, name) || rules.length > 0) return 'Directory not empty'
      chains.delete(name)
      return undefined
    default:
      return `unknown command ${verb}`
  }
}

function indexOf(rules: readonly string[], text: string, family: Family): number {
  const { key } = canonical(tokenize(text), family)
  return rules.findIndex((rule) => new SavedRule(rule, family).key === key)
}

/** Error of the simulated commit if a rule jumps to a missing chain. */
function danglingJump(chains: Chains, family: Family): string | undefined {
  for (const { rules } of chains.values()) {
    for (const rule of rules) {
      const { target } = new SavedRule(rule, family)
      if (target !== '' && !isExtensionTarget(target) && !chains.has(target)) return `Chain '${target}' does not exist`
    }
  }
  return undefined
}
