import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { root } from '../exec.ts'
import { moveImports } from './move-imports.ts'
import { migrationRows, movedNames } from './page.ts'

const read = (path: string) => readFileSync(join(root, path), 'utf8')

/** Names of each entry, from the record of the public API. */
const offered = new Map<string, ReadonlySet<string>>()
for (const file of readdirSync(join(root, 'api')).filter((name) => name.endsWith('.txt'))) {
  for (const section of read(`api/${file}`).split(/^## (?=\S+$)/m)) {
    const names = section.matchAll(/^(?:export|function|const|abstract class|class|interface|type) (\w+)/gm)
    offered.set(section.slice(0, section.indexOf('\n')), new Set([...names].map(([, name = '']) => name)))
  }
}

const rows = migrationRows()
const moved = movedNames(rows)

test('the page has a row for hundreds of names', () => {
  expect(rows.length).toBeGreaterThan(100)
})

test('a name that moved is offered by the entry that the page says', () => {
  const wrong = [...moved].filter(
    ([name, entry]) => !name.endsWith(' *') && !offered.get(entry)?.has(name.split(' ')[1] ?? ''),
  )
  expect(wrong).toEqual([])
})

test('an entry that the page sends to exists', () => {
  const entries = rows.flatMap(({ now }) => [...now.matchAll(/`(@cni\/[\w/-]+)`/g)].map(([, entry = '']) => entry))
  expect([...new Set(entries)].filter((entry) => !offered.has(entry))).toEqual([])
})

test('the imports of a program follow the page', () => {
  const program =
    "import { type Family, iptables } from '@cni/iptables'\nimport { fileSink } from '@cni/skel/file-sink'\n"
  expect(moveImports(program, moved)).toBe(
    "import { type Family } from '@cni/iptables/rules'\nimport { iptables } from '@cni/iptables'\nimport { fileSink } from '@cni/skel'\n",
  )
})
