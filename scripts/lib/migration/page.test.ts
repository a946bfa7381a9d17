import { expect, test } from 'vitest'
import { moveImports } from './move-imports.ts'
import { migrationRows, movedNames, namesWithoutRow, offeredNames, recordedNames } from './page.ts'

const offered = recordedNames()
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

test('a removed name without a row is found, in each entry', () => {
  const before = offeredNames([
    '## @cni/a\n\nfunction kept(): void;\n\nfunction gone(): void;\n\ninterface Told {\n}\n\n## Needed by them, not exported\n\ntype Hidden = 1;\n',
    '## @cni/a/moved\n\nconst all = 1;\n\n## @cni/a/more\n\nfunction inner(): void; // as outer\n',
  ])
  const now = offeredNames(['## @cni/a\n\nfunction kept(): void;\n'])
  const page = [
    { section: '@cni/a', old: '`Told<T>` `other`', now: '—' },
    { section: '@cni/a', old: 'everything of `@cni/a/one`, `/moved`', now: '—' },
    { section: '@cni/b', old: '`gone`', now: '—' },
    { section: '', old: '`none` of `@cni/a/more`', now: '—' },
  ]
  expect(namesWithoutRow(before, now, page)).toEqual(['@cni/a gone', '@cni/a/more inner', '@cni/a/more outer'])
})

test('the imports of a program follow the page', () => {
  const program =
    "import { type Family, iptables } from '@cni/iptables'\nimport { fileSink } from '@cni/skel/file-sink'\n"
  expect(moveImports(program, moved)).toBe(
    "import { type Family } from '@cni/iptables/rules'\nimport { iptables } from '@cni/iptables'\nimport { fileSink } from '@cni/skel'\n",
  )
})
