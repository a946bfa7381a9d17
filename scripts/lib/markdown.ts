import { readdirSync } from 'node:fs'
import { join } from 'node:path'

/** A code block of a Markdown page. `source` is the file that the comment above the block names. */
type Block = {
  language: string
  code: string
  line: number
  source: string | undefined
  start: number
  end: number
}

export const markdownFiles = (folder: string): string[] =>
  readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    if (entry.name.startsWith('.') || ['node_modules', 'dist'].includes(entry.name)) return []
    const path = join(folder, entry.name)
    if (entry.isDirectory()) return markdownFiles(path)
    return entry.name.endsWith('.md') ? [path] : []
  })

export function blocks(text: string): Block[] {
  const found = []
  for (const match of text.matchAll(/^(?:<!-- (\S+) -->\n)?```(\S+)\n([\s\S]*?)^```$/gm)) {
    const [all, source, language = '', code = ''] = match
    const start = match.index + all.indexOf('```') + 3 + language.length + 1
    const line = text.slice(0, start).split('\n').length
    found.push({ language, code, line, source, start, end: start + code.length })
  }
  return found
}

/** Targets of all links and pictures in a Markdown page, without its code. */
export function links(text: string) {
  const prose = text.replaceAll(/^```[\s\S]*?^```$/gm, '').replaceAll(/`[^`\n]*`/g, '')
  return [...prose.matchAll(/\]\(([^)\s]+)\)|(?:src|srcset|href)="([^"]+)"/g)].map(
    ([, inline, html]) => inline ?? html ?? '',
  )
}

/** Anchors of the headings in a Markdown page, as GitHub computes them. */
export const anchors = (text: string) =>
  [...text.replaceAll(/^```[\s\S]*?^```$/gm, '').matchAll(/^#+ (.*)$/gm)].map(([, title = '']) => slugify(title))

export const slugify = (title: string) =>
  title
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-')

export const table = (head: readonly string[], rows: readonly (readonly string[])[]) =>
  [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n')

/** Replaces the text between the markers `<!-- KIND: NAME -->` and `<!-- end -->`. */
export const withTexts = (page: string, kind: string, texts: Readonly<Record<string, string>>) =>
  page.replaceAll(new RegExp(`^(<!-- ${kind}: (\\w+) -->\n).*?(^<!-- end -->)`, 'gms'), (_, begin, name, end) => {
    const text = texts[name]
    if (text === undefined) throw new Error(`a page asks for an unknown ${kind} ${JSON.stringify(name)}`)
    return `${begin}${text}\n${end}`
  })
