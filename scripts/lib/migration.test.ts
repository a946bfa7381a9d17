import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { root } from './exec.ts'

const read = (path: string) => readFileSync(join(root, path), 'utf8')

/** Names of each entry, from the record of the public API. */
const offered = new Map<string, ReadonlySet<string>>()
for (const file of readdirSync(join(root, 'api')).filter((name) => name.endsWith('.txt'))) {
  for (const section of read(`api/${file}`).split(/^## (?=\S+$)/m)) {
    const names = section.matchAll(/^(?:export|function|const|abstract class|class|interface|type) (\w+)/gm)
    offered.set(section.slice(0, section.indexOf('\n')), new Set([...names].map(([, name = '']) => name)))
  }
}

const rows = read('docs/migrate-to-0.2.md')
  .split('\n')
  .filter((line) => line.startsWith('| `'))
  .map((line) => line.split('|').map((cell) => cell.trim()))

test('the page has a row for hundreds of names', () => {
  expect(rows.length).toBeGreaterThan(100)
})

test('a name that moved is offered by the entry that the page says', () => {
  const wrong = rows.flatMap(([, old = '', now = '']) => {
    const entry = /^the same names? (?:from|of) `(@cni\/[\w/-]+)`/.exec(now)?.[1]
    if (entry === undefined) return []
    const names = [...old.replace(/ of `@cni.*/, '').matchAll(/`(\w+)`/g)].map(([, name = '']) => name)
    return names.filter((name) => offered.get(entry)?.has(name) !== true).map((name) => `${name}: not in ${entry}`)
  })
  expect(wrong).toEqual([])
})

test('an entry that the page sends to exists', () => {
  const entries = rows.flatMap(([, , now = '']) =>
    [...now.matchAll(/`(@cni\/[\w/-]+)`/g)].map(([, entry = '']) => entry),
  )
  expect([...new Set(entries)].filter((entry) => !offered.has(entry))).toEqual([])
})
