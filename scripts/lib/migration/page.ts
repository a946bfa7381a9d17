import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../exec.ts'

/** A row of the migration page `docs/migrate-to-0.2.md`: the old names, and the text that says what to write now. */
export type Row = { readonly section: string; readonly old: string; readonly now: string }

/** All table rows of `docs/migrate-to-0.2.md`. The member `section` is the package in the heading above the row. */
export function migrationRows(): Row[] {
  const page = readFileSync(join(root, 'docs/migrate-to-0.2.md'), 'utf8')
  let section = ''
  return page.split('\n').flatMap((line) => {
    section = /^## (\S+)$/.exec(line)?.[1] ?? section
    if (!/^\| (?:`|everything )/.test(line)) return []
    const [, old = '', now = ''] = line.split(/(?<!\\)\|/).map((cell) => cell.trim())
    return [{ section, old, now }]
  })
}

/** Map from a moved name to its new entry. The key is `entry name`, or `entry *` for all names of the entry. */
export function movedNames(rows: readonly Row[]): ReadonlyMap<string, string> {
  const moved = new Map<string, string>()
  for (const { section, old, now } of rows) {
    const target = /^the same names? (?:from|of) `(@cni\/[\w/-]+)`/.exec(now)?.[1]
    if (target === undefined) continue
    if (old.startsWith('everything of ')) {
      for (const entry of spans(old)) moved.set(`${entry.startsWith('/') ? section + entry : entry} *`, target)
      continue
    }
    const [names = '', entry = section] = old.split(/ of (?=`@cni)/)
    for (const name of spans(names)) moved.set(`${entry.replaceAll('`', '')} ${name}`, target)
  }
  return moved
}

// internal

const spans = (text: string) => [...text.matchAll(/`([^`]+)`/g)].map(([, span = '']) => span)
