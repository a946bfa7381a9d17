import { type SavedChain, SavedRule, type SavedTables } from '../parse/saved-tables.ts'
import { isTable, type Table } from '../rules/model.ts'

/**
 * What a snapshot becomes when a text of this package is written: the lines that `planText` and `transitionText` make,
 * without asking the kernel again. Chains that the text leaves alone stay the same objects.
 */
export function written(snapshot: SavedTables, text: string): SavedTables {
  const tables = new Map<Table, ReadonlyMap<string, SavedChain>>(snapshot.tables)
  let chains = new Map<string, SavedChain>()
  const copied = new WeakSet<SavedRule[]>()
  for (const line of text.split('\n')) {
    const table = line.slice(1)
    if (line.startsWith('*') && isTable(table)) {
      chains = new Map(tables.get(table))
      tables.set(table, chains)
    } else if (line !== '' && line !== 'COMMIT') writeLine(chains, line, snapshot.family, copied)
  }
  return { family: snapshot.family, tables }
}

// internal

/** `copied` holds the lists that are ours to change: copying a long one for each line would take minutes. */
function writeLine(
  chains: Map<string, SavedChain>,
  line: string,
  family: SavedTables['family'],
  copied: WeakSet<SavedRule[]>,
): void {
  const [, verb = '', name = '', rest = ''] = /^(:|-\w )(\S+) ?(.*)$/.exec(line) ?? []
  const chain = chains.get(name)
  const old = chain?.rules ?? []
  const change = (position: number, remove: number, ...add: SavedRule[]) => {
    const rules = copied.has(old) ? old : [...old]
    copied.add(rules)
    rules.splice(position, remove, ...add)
    if (rules !== old) chains.set(name, { ...chain, rules })
  }
  switch (verb.trimEnd()) {
    case ':':
    case '-N':
    case '-F':
      chains.set(name, { ...chain, rules: [] })
      break
    case '-X':
      chains.delete(name)
      break
    case '-A':
      change(old.length, 0, new SavedRule(rest, family))
      break
    case '-I': {
      const [, position = '1', text = ''] = /^(\d+) ?(.*)$/.exec(rest) ?? []
      change(Number(position) - 1, 0, new SavedRule(text, family))
      break
    }
    case '-D': {
      const index = /^\d+$/.test(rest) ? Number(rest) - 1 : old.findIndex(({ text }) => text === rest)
      if (index !== -1) change(index, 1)
      break
    }
    case '-P':
      chains.set(name, { rules: old, policy: rest })
  }
}
