import { type SavedChain, SavedRule, type Snapshot } from '../parse/snapshot.ts'
import { isTable, type Table } from '../rules/model.ts'

/**
 * What a snapshot becomes when a text of this package is written: the lines that `planText` and `transitionText` make, without asking the
 * kernel again. Chains that the text leaves alone stay the same objects.
 */
export function written(snapshot: Snapshot, text: string): Snapshot {
  const tables = new Map<Table, ReadonlyMap<string, SavedChain>>(snapshot.tables)
  let chains = new Map<string, SavedChain>()
  for (const line of text.split('\n')) {
    const table = line.slice(1)
    if (line.startsWith('*') && isTable(table)) {
      chains = new Map(tables.get(table))
      tables.set(table, chains)
    } else if (line !== '' && line !== 'COMMIT') writeLine(chains, line, snapshot.family)
  }
  return { family: snapshot.family, tables }
}

// internal

function writeLine(chains: Map<string, SavedChain>, line: string, family: Snapshot['family']): void {
  const [, verb = '', name = '', rest = ''] = /^(:|-\w )(\S+) ?(.*)$/.exec(line) ?? []
  const chain = chains.get(name)
  const old = chain?.rules ?? []
  const set = (rules: SavedRule[]) => chains.set(name, { ...chain, rules })
  switch (verb.trimEnd()) {
    case ':':
    case '-N':
    case '-F':
      set([])
      break
    case '-X':
      chains.delete(name)
      break
    case '-A':
      set([...old, new SavedRule(rest, family)])
      break
    case '-I': {
      const [, position = '1', text = ''] = /^(\d+) ?(.*)$/.exec(rest) ?? []
      set(old.toSpliced(Number(position) - 1, 0, new SavedRule(text, family)))
      break
    }
    case '-D': {
      const index = /^\d+$/.test(rest) ? Number(rest) - 1 : old.findIndex(({ text }) => text === rest)
      if (index !== -1) set(old.toSpliced(index, 1))
      break
    }
    case '-P':
      chains.set(name, { rules: old, policy: rest })
  }
}
