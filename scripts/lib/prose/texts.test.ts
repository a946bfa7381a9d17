import ts from 'typescript'
import { expect, test } from 'vitest'
import { commentsOf } from './comments.ts'
import { blocksOf } from './pages.ts'
import { titlesOf } from './titles.ts'

const parse = (source: string) => ts.createSourceFile('source.ts', source, ts.ScriptTarget.Latest)
const textsOf = (source: string) => commentsOf(parse(source)).map(({ passages }) => passages.map(({ text }) => text))

test('lines of one comment belong together', () => {
  expect(textsOf('// Reads the file,\n// then closes it.\nread() // Closes it, too.\n')).toEqual([
    ['Reads the file, then closes it.'],
    ['Closes it, too.'],
  ])
})

test('paragraphs, items and tags are passages; examples and code blocks are not', () => {
  const source = `/**
 * Opens the namespace.
 *
 * - A path.
 * - A handle.
 *
 * @param path - Path of the namespace.
 * @returns The handle.
 * @example
 * const a = open('what is this')
 */
`
  expect(textsOf(source)).toEqual([
    ['Opens the namespace.', 'A path.', 'A handle.', 'Path of the namespace.', 'The handle.'],
  ])
})

test('strings, templates and directives have no comments', () => {
  expect(textsOf("const a = '// what'\nconst b = `/* who */`\n// biome-ignore lint: whose\n")).toEqual([])
})

test('a tag after an example without a fence is a passage', () => {
  expect(textsOf('/** Opens it.\n * @example\n * open(who)\n * @returns The handle.\n */')).toEqual([
    ['Opens it.', 'The handle.'],
  ])
})

test('regular expressions and parts of templates have no comments', () => {
  expect(textsOf('const a = /\\/\\/ whose/\n')).toEqual([])
  expect(textsOf(`const b = \`// \${c /* Read first. */} // how\`\n`)).toEqual([['Read first.']])
})

test('titles of suites and tests, with their variants', () => {
  const source = "describe.each(all)('on %s', () => { it.skip('adds a link', () => {}); test(`adds a chain`, f) })"
  expect(titlesOf(parse(source)).map(({ text }) => text)).toEqual(['on %s', 'adds a link', 'adds a chain'])
})

test('paragraphs, items and cells of a page; headings and code are left out', () => {
  const page =
    '# How it works\n\nOne line.\n\n- An item\n  in two lines.\n\n```sh\nwho\n```\n\n| head |\n|---|\n| A cell |\n'
  expect(blocksOf(page)).toEqual([
    { line: 3, kind: 'paragraph', text: 'One line.', wrapped: false },
    { line: 5, kind: 'paragraph', text: 'An item\nin two lines.', wrapped: true },
    { line: 14, kind: 'cell', text: 'A cell', wrapped: false },
  ])
})
