import ts from 'typescript'

/** A paragraph of a comment, or the text of one of its tags, and the line it starts in. */
export type Passage = { line: number; text: string }

/** A comment: consecutive `//` lines are one. */
export type Comment = { line: number; passages: Passage[] }

/** Comments for tools, not for people. */
const DIRECTIVE =
  /^(?:biome-ignore|@ts-|@vitest|[#@]__PURE__|eslint|prettier|Stryker|istanbul|v8 ignore|@license|!|<reference)/

/** Text of these tags is code or a name. */
const CODE_TAG = /^@(?:example|see|link|module|internal|experimental|typeParam|template|source|inheritDoc)\b/

/** The comments of TypeScript or JavaScript, without code blocks and directives. */
export function commentsOf(source: string): Comment[] {
  const found: Comment[] = []
  let lineComments: { line: number; text: string }[] = []
  const flush = () => {
    const [first] = lineComments
    if (first !== undefined) add(found, first.line, lineComments.map(({ text }) => text).join('\n'))
    lineComments = []
  }
  for (const { pos, end, kind, line } of ranges(source)) {
    const text = source.slice(pos, end)
    if (kind === ts.SyntaxKind.SingleLineCommentTrivia) {
      const last = lineComments.at(-1)
      const startsLine = /(?:^|\n)[ \t]*$/.test(source.slice(0, pos))
      if (last === undefined || !startsLine || line !== last.line + 1) flush()
      lineComments.push({ line, text: text.replace(/^\/\/+ ?/, '') })
    } else {
      flush()
      add(
        found,
        line,
        text
          .replace(/^\/\*+ ?/, '')
          .replace(/\s*\*\/$/, '')
          .replaceAll(/^[ \t]*\* ?/gm, ''),
      )
    }
  }
  flush()
  return found
}

// internal

type CommentRange = ts.CommentRange & { line: number }

/** Comments are found by the compiler's scanner: strings, templates and regular expressions contain none. */
function ranges(source: string): CommentRange[] {
  const file = ts.createSourceFile('source.ts', source, ts.ScriptTarget.Latest, true)
  const found = new Map<number, CommentRange>()
  const collect = (all: ts.CommentRange[] | undefined) => {
    for (const range of all ?? []) {
      found.set(range.pos, { ...range, line: file.getLineAndCharacterOfPosition(range.pos).line + 1 })
    }
  }
  const visit = (node: ts.Node) => {
    if (node.kind !== ts.SyntaxKind.JsxText && node.getChildCount(file) === 0) {
      collect(ts.getLeadingCommentRanges(source, node.pos))
      collect(ts.getTrailingCommentRanges(source, node.end))
    }
    for (const child of node.getChildren(file)) if (!ts.isJSDoc(child)) visit(child)
  }
  visit(file)
  return [...found.values()].sort((one, other) => one.pos - other.pos)
}

function add(found: Comment[], line: number, text: string) {
  if (DIRECTIVE.test(text.trimStart())) return
  const passages = passagesOf(line, text)
  if (passages.length > 0) found.push({ line, passages })
}

/** Splits at empty lines, at bullets and at tags. */
function passagesOf(start: number, text: string): Passage[] {
  const passages: Passage[] = []
  let current: Passage | undefined
  let isCode = false
  for (const [index, line] of text.split('\n').entries()) {
    const trimmed = line.trim()
    const fence = trimmed.startsWith('```')
    if (fence) isCode = !isCode
    if (isCode || fence || trimmed === '' || CODE_TAG.test(trimmed)) {
      if (CODE_TAG.test(trimmed) && !fence) isCode = trimmed.startsWith('@example') && !text.includes('```')
      current = undefined
    } else if (current === undefined || /^(?:[-*] |\d+\. |@\w)/.test(trimmed)) {
      current = { line: start + index, text: withoutTag(trimmed) }
      passages.push(current)
    } else {
      current.text += ` ${trimmed}`
    }
  }
  return passages.filter((passage) => /\p{L}\P{L}+\p{L}/u.test(passage.text))
}

/** `@param pause - milliseconds` without its tag and name. */
const withoutTag = (line: string) =>
  line
    .replace(/^@param\s+(?:\{[^}]*\}\s*)?(?:\[[^\]]*\]|[\w.$]+)(?:\s+-)?\s*/, '')
    .replace(/^@\w+\s*(?:\{[^}]*\}\s*)?(?:-\s*)?/, '')
    .replace(/^(?:[-*]|\d+\.) +/, '')
