import markdown from 'markdown-it'
import type { Kind } from './rules.ts'

/** A text block of a Markdown page. `wrapped` means that it has line breaks. */
export type Block = { line: number; kind: Exclude<Kind, 'comment' | 'title'>; text: string; wrapped: boolean }

const parser = markdown({ html: true })

/** Finds the paragraphs, list items and table cells of a Markdown page. Headings, code and HTML are left out. */
export function blocksOf(page: string): Block[] {
  const front = /^---\n.*?\n---\n/s.exec(page)?.[0] ?? ''
  const skipped = front.split('\n').length - 1
  const found: Block[] = []
  let container = ''
  let line = 0
  for (const token of parser.parse(page.slice(front.length), {})) {
    if (token.nesting === 1) {
      container = token.type
      line = token.map?.[0] ?? line
    } else if (token.type === 'inline' && (container === 'paragraph_open' || container === 'td_open')) {
      const kind = container === 'td_open' ? 'cell' : 'paragraph'
      const text = token.content.replaceAll(/<[^>]+>/g, '')
      if (/\p{L}{2}/u.test(text)) found.push({ line: line + 1 + skipped, kind, text, wrapped: text.includes('\n') })
    }
  }
  return found
}
