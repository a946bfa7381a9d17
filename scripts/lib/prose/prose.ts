import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'
import { root } from '../exec.ts'
import { Stop } from '../progress.ts'
import { commentsOf } from './comments.ts'
import { blocksOf } from './pages.ts'
import { findings } from './rules.ts'
import { titlesOf } from './titles.ts'

/** A checked text and the rules of plain English that it breaks. */
export type Text = { kind: 'comments' | 'test titles' | 'pages' | 'changesets'; where: string; findings: string[] }

/** Maximum share of texts that may break a rule of plain English, for each kind of text. */
const BUDGET = 0.03

const SOURCES = '{packages,examples,scripts,bench,test,playground,docs}/**/*.{ts,mjs}'
const PAGES = '{*.md,{packages,examples,docs,playground}/**/*.md,.changeset/*.md}'
const NOT_OURS = ['**/node_modules/**', '**/dist/**', 'docs/reference/**', '**/CHANGELOG.md']

/** Finds all comments, test titles and paragraphs in the given files. Default: all files of the repository. */
export function textsOf(files: readonly string[] = allFiles()): Text[] {
  return files.flatMap((file) => {
    const source = readFileSync(join(root, file), 'utf8')
    return file.endsWith('.md') ? pageTexts(file, source) : sourceTexts(file, source)
  })
}

/** Fails if the share of texts of one kind that break a rule is above {@link BUDGET}. */
export function checkProse() {
  const texts = textsOf()
  const shares = shareOfFindings(texts)
  const over = shares.filter(({ share }) => share > BUDGET)
  if (over.length > 0) {
    const lines = over.map(
      ({ kind, share }) => `${percent(share)} of ${kind} break a rule, allowed are ${percent(BUDGET)}`,
    )
    throw new Stop(`${lines.join('\n')}\nnpm run prose lists them`)
  }
  return { note: shares.map(({ kind, share }) => `${kind} ${percent(share)}`).join(', ') }
}

/** Share of texts that break a rule of plain English, for each kind of text. */
export function shareOfFindings(texts: readonly Text[]) {
  const kinds = [...new Set(texts.map(({ kind }) => kind))]
  return kinds.map((kind) => {
    const all = texts.filter((text) => text.kind === kind)
    const broken = all.filter((text) => text.findings.length > 0)
    return { kind, texts: all.length, broken: broken.length, share: broken.length / all.length }
  })
}

export const percent = (share: number) => `${(100 * share).toFixed(1)} %`

// internal

const allFiles = () => globSync([SOURCES, PAGES], { cwd: root, exclude: NOT_OURS }).sort()

function sourceTexts(file: string, source: string): Text[] {
  const program = ts.createSourceFile(file, source, ts.ScriptTarget.Latest)
  const comments = commentsOf(program).map(({ line, passages }) => {
    const found = passages.flatMap(({ text }) => findings(text, 'comment'))
    return { kind: 'comments', where: `${file}:${line}`, findings: found.map(said) } as const
  })
  const titles = titlesOf(program).map(({ line, text }) => {
    return { kind: 'test titles', where: `${file}:${line}`, findings: findings(text, 'title').map(said) } as const
  })
  return [...comments, ...titles]
}

function pageTexts(file: string, source: string): Text[] {
  const kind = file.startsWith('.changeset/') ? 'changesets' : 'pages'
  return blocksOf(source).map(({ line, kind: block, text, wrapped }) => {
    const found = findings(text, block).map(said)
    return { kind, where: `${file}:${line}`, findings: wrapped ? [...found, 'lines wrapped by hand'] : found } as const
  })
}

const said = ({ rule, words }: { rule: string; words: string }) => `${rule}: ${words}`
