import { readdirSync, readFileSync } from 'node:fs'
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
    return now === 'instead' ? [] : [{ section, old, now }]
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

/** Map from each entry of a package to the names that it exports. */
export type Offered = ReadonlyMap<string, ReadonlySet<string>>

/** True for a file of the API record in the folder `api`. */
export const isRecord = (file: string): boolean => file.endsWith('.txt')

/** Names of each entry, from the API record of this checkout. */
export function recordedNames(): Offered {
  const folder = join(root, 'api')
  return offeredNames(
    readdirSync(folder)
      .filter(isRecord)
      .map((file) => readFileSync(join(folder, file), 'utf8')),
  )
}

/** Names of each entry, from the texts of the API record `api/*.txt`. */
export function offeredNames(records: readonly string[]): Offered {
  const sections = records.flatMap((text) => text.split('## Needed by them, not exported', 1)[0]?.split(/^## /m) ?? [])
  return new Map(
    sections.map((section) => {
      const names = section.matchAll(/^(?:export|function|const|abstract class|class|interface|type) (\w+)/gm)
      const renamed = section.matchAll(/ \/\/ as (\w+)$/gm)
      return [section.slice(0, section.indexOf('\n')), new Set([...names, ...renamed].map(([, name = '']) => name))]
    }),
  )
}

/** Names that an entry no longer exports and that no row of the migration page mentions, as `entry name`. */
export function namesWithoutRow(before: Offered, now: Offered, rows: readonly Row[]): string[] {
  return [...before].flatMap(([entry, names]) => {
    const [, pack = entry] = /^(@cni\/[^/]+)/.exec(entry) ?? []
    const cells = rows.filter(({ section }) => section === pack || section === '').map(({ old }) => old)
    const whole = cells.filter((cell) => /^(everything of )?`@cni/.test(cell)).flatMap(spans)
    if (whole.some((span) => span === entry || pack + span === entry)) return []
    const words = new Set(cells.flatMap(spans).flatMap((span) => span.match(/\w+/g) ?? []))
    return [...names].filter((name) => !now.get(entry)?.has(name) && !words.has(name)).map((name) => `${entry} ${name}`)
  })
}

// internal

const spans = (text: string) => [...text.matchAll(/`([^`]+)`/g)].map(([, span = '']) => span)
