import { canonical } from '../parse/canonical.ts'
import { SavedRule } from '../parse/snapshot.ts'
import { tokenize } from '../parse/tokenize.ts'
import { builtinChains, type Family, isBuiltin, isTable, type Table } from '../rules/model.ts'
import { isExtensionTarget } from '../rules/names.ts'

/** The tables of one family and back end, in memory. A table exists once something touched it. */
export class FakeTables {
  readonly family: Family
  #tables = new Map<Table, Map<string, readonly string[]>>()

  constructor(family: Family) {
    this.family = family
  }

  get names(): Table[] {
    return [...this.#tables.keys()].sort()
  }

  /**
   * What `iptables-restore --noflush` does: each table is one transaction. Returns the message of the first line that
   * was refused; the tables committed before it stay.
   */
  restore(text: string): string | undefined {
    let open: { table: Table; chains: Map<string, readonly string[]> } | undefined
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
        open = undefined
      } else {
        const why = change(open.table, open.chains, line, this.family)
        if (why !== undefined) return refuse(why)
      }
    }
    return open === undefined ? undefined : 'iptables-restore: COMMIT expected at line 1'
  }

  /** What `iptables-save` prints; `brief` leaves empty built-in chains out. */
  save({ brief = false } = {}): string {
    let text = ''
    for (const [table, chains] of [...this.#tables].sort(([a], [b]) => (a < b ? -1 : 1))) {
      const heads = [...chains.keys()].filter((name) => !brief || !isBuiltin(table, name))
      const rules = [...chains].flatMap(([name, list]) => list.map((rule) => `-A ${name} ${rule}`.trimEnd()))
      if (brief && heads.length + rules.length === 0) continue
      const policy = (name: string) => (isBuiltin(table, name) ? 'ACCEPT' : '-')
      text += [`*${table}`, ...heads.map((name) => `:${name} ${policy(name)} [0:0]`), ...rules, 'COMMIT', ''].join('\n')
    }
    return text
  }

  #open(table: Table): Map<string, readonly string[]> {
    const found = this.#tables.get(table)
    if (found !== undefined) return found
    const made = new Map<string, readonly string[]>(builtinChains[table].map((name) => [name, []]))
    this.#tables.set(table, made)
    return made
  }
}

// internal

type Chains = Map<string, readonly string[]>

function change(table: Table, chains: Chains, line: string, family: Family): string | undefined {
  const head = /^:(\S+)/.exec(line)
  if (head !== null) {
    chains.set(head[1] ?? '', [])
    return undefined
  }
  const [, verb = '', name = '', rest = ''] = /^(-\w)\s+(\S+)\s*(.*)$/.exec(line) ?? []
  const rules = chains.get(name)
  if (verb === '-N') {
    if (rules !== undefined) return 'Chain already exists'
    chains.set(name, [])
    return undefined
  }
  if (rules === undefined) return 'No chain/target/match by that name'
  switch (verb) {
    case '-A':
      chains.set(name, [...rules, rest])
      return undefined
    case '-I': {
      const [, position = '1', text = ''] = /^(?:(\d+)(?:\s+|$))?(.*)$/.exec(rest) ?? []
      if (Number(position) > rules.length + 1) return 'Index of insertion too big'
      chains.set(name, rules.toSpliced(Number(position) - 1, 0, text))
      return undefined
    }
    case '-D': {
      const { key } = canonical(tokenize(rest), family)
      const index = rules.findIndex((rule) => new SavedRule(rule, family).key === key)
      if (index === -1) return 'Bad rule (does a matching rule exist in that chain?)'
      chains.set(name, rules.toSpliced(index, 1))
      return undefined
    }
    case '-F':
      chains.set(name, [])
      return undefined
    case '-X':
      if (isBuiltin(table, name) || rules.length > 0) return 'Directory not empty'
      chains.delete(name)
      return undefined
    default:
      return `unknown command ${verb}`
  }
}

/** A jump to a chain that is not there, once the transaction is complete. */
function danglingJump(chains: Chains, family: Family): string | undefined {
  for (const rules of chains.values()) {
    for (const rule of rules) {
      const { target } = new SavedRule(rule, family)
      if (target !== '' && !isExtensionTarget(target) && !chains.has(target)) return `Chain '${target}' does not exist`
    }
  }
  return undefined
}
