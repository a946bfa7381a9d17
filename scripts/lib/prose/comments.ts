import ts from 'typescript'

/** A paragraph or tag text of a comment, with the line where it starts. */
export type Passage = { line: number; text: string }

/** A comment in a TypeScript file. Consecutive `//` lines count as one comment. */
export type Comment = { line: number; passages: Passage[] }

/** Pattern for comments that are written for tools, such as linter directives. The prose check skips them. */
const DIRECTIVE =
  /^(?:biome-ignore|@ts-|@vitest|[#@]__PURE__|eslint|prettier|Stryker|istanbul|v8 ignore|@license|!|<reference)/

/** Tags such as `@example`, whose text is code or a name. The prose check skips their text. */
const CODE_TAG = /^@(?:example|see|link|module|internal|experimental|typeParam|template|source|inheritDoc)\b/

/** Finds the comments of a TypeScript file, without code blocks in comments and without directives for tools. */
export function commentsOf(file: ts.SourceFile): Comment[] {
  const found: Comment[] = []
  let lineComments: { line: number; text: string }[] = []
  const flush = () => {
    const [first] = lineComments
    if (first !== undefined) add(found, first.line, lineComments.map(({ text }) => text).join('\n'))
    lineComments = []
  }
  const code = withoutLiterals(file)
  for (const { 0: text, index } of code.matchAll(/\/\/.*|\/\*[\s\S]*?\*\//g)) {
    const line = lineAt(file, index)
    if (text.startsWith('//')) {
      const last = lineComments.at(-1)
      const startsLine = code.slice(code.lastIndexOf('\n', index) + 1, index).trim() === ''
      if (last === undefined || !startsLine || line !== last.line + 1) flush()
      lineComments.push({ line, text: text.replace(/^\/\/+ ?/, '') })
    } else {
      flush()
      add(found, line, text.slice(2, -2).replaceAll(/^[ \t]*\*+ ?/gm, ''))
    }
  }
  flush()
  return found
}

/** Line number of a position in a TypeScript file, counted from 1. */
export const lineAt = (file: ts.SourceFile, position: number) => file.getLineAndCharacterOfPosition(position).line + 1

// internal

/** Returns the file's text without literals, because a `//` in a string would look like a comment. */
function withoutLiterals(file: ts.SourceFile): string {
  const parts: string[] = []
  let end = 0
  const visit = (node: ts.Node) => {
    if (ts.isLiteralExpression(node) || ts.isTemplateLiteralToken(node)) {
      const start = node.getStart(file)
      parts.push(file.text.slice(end, start), file.text.slice(start, node.end).replaceAll(/[^\n]/g, ' '))
      end = node.end
    }
    ts.forEachChild(node, visit)
  }
  visit(file)
  return parts.join('') + file.text.slice(end)
}

function add(found: Comment[], line: number, text: string) {
  if (DIRECTIVE.test(text.trimStart())) return
  const passages = passagesOf(line, text)
  if (passages.length > 0) found.push({ line, passages })
}

/** Splits the lines of a comment into passages: at empty lines, at bullets and at tags. */
function passagesOf(start: number, text: string): Passage[] {
  const passages: Passage[] = []
  let current: Passage | undefined
  let [isFenced, isExample] = [false, false]
  for (const [index, line] of text.split('\n').entries()) {
    const trimmed = line.trim()
    const isFence = trimmed.startsWith('```')
    if (isFence) isFenced = !isFenced
    else if (!isFenced && trimmed.startsWith('@')) isExample = trimmed.startsWith('@example')
    if (isFence || isFenced || isExample || trimmed === '' || CODE_TAG.test(trimmed)) {
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

/** Removes the tag and the parameter's name from a line such as `@param pause - milliseconds`. */
const withoutTag = (line: string) =>
  line
    .replace(/^@param\s+(?:\{[^}]*\}\s*)?(?:\[[^\]]*\]|[\w.$]+)(?:\s+-)?\s*/, '')
    .replace(/^@\w+\s*(?:\{[^}]*\}\s*)?(?:-\s*)?/, '')
    .replace(/^(?:[-*]|\d+\.) +/, '')
