import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { examples } from '../../playground/src/model/examples.ts'
import { exec, root } from './exec.ts'
import { withMaps } from './map.ts'
import { anchors, blocks, links, markdownFiles } from './markdown.ts'
import { writeOldExamples } from './migration/old-examples.ts'
import { Stop } from './progress.ts'
import { commandProblems } from './shell-blocks.ts'

/**
 * Checks all Markdown files:
 * - A ts block equals its file or is a module that {@link checkTypes} checks.
 * - Generated maps of packages equal the import rules in imports-map.ts.
 * - Commands in shell blocks exist.
 * - Links have a target.
 * - The README of a package fits on a screen.
 */
export function checkDocs() {
  const files = markdownFiles(root)
  const problems = files.flatMap((file) => [
    ...includeProblems(file),
    ...mapProblems(file),
    ...linkProblems(file),
    ...lengthProblems(relative(root, file), readFileSync(file, 'utf8')),
    ...commandProblems(file).map((problem) => `${relative(root, file)}: ${problem}`),
  ])
  if (problems.length > 0) throw new Stop(problems.join('\n'))
  return { note: `${files.length} pages` }
}

/** Checks the types of all TypeScript files, and of complete modules in Markdown files. */
export async function checkTypes() {
  const count = writeModules(markdownFiles(root))
  const old = await writeOldExamples(join(checkFolder, 'old'))
  if (count === 0) throw new Stop('no ```ts block found in any Markdown file: is the check looking in the right place?')
  await exec(['tsc', '-p', join(checkFolder, 'tsconfig.json')], { quiet: true })
  const migrated = old === undefined ? 'no release 0.1.0 in this clone' : `${old} files of release 0.1.0, migrated`
  return { note: `${count} modules of documentation, ${migrated}` }
}

/** Updates the code blocks of pages from their files, and the maps of packages. */
export function includeFiles() {
  let changed = 0
  for (const file of markdownFiles(root)) {
    const before = readFileSync(file, 'utf8')
    let text = before
    for (const { source, start, end } of blocks(before).reverse()) {
      if (source !== undefined) text = text.slice(0, start) + readFileSync(join(root, source), 'utf8') + text.slice(end)
    }
    text = withMaps(text)
    if (text === before) continue
    writeFileSync(file, text)
    changed++
  }
  return { note: `${changed} pages changed` }
}

const includeProblems = (file: string) =>
  blocks(readFileSync(file, 'utf8')).flatMap(({ source, code, line }) => {
    if (source === undefined) return []
    const where = `${relative(root, file)}:${line}`
    if (!existsSync(join(root, source))) return [`${where}: ${source} does not exist`]
    if (readFileSync(join(root, source), 'utf8') === code) return []
    return [`${where}: the block is not the text of ${source}; npm run docs puts it there`]
  })

function mapProblems(file: string) {
  const text = readFileSync(file, 'utf8')
  if (withMaps(text) === text) return []
  return [`${relative(root, file)}: the map is not that of scripts/lib/imports-map.ts; npm run docs puts it there`]
}

function linkProblems(file: string) {
  const text = readFileSync(file, 'utf8')
  return links(text).flatMap((link) => {
    if (/^[a-z]+:/.test(link)) return []
    const [path = '', anchor] = link.split('#')
    const target = path === '' ? file : resolve(dirname(file), path)
    const where = `${relative(root, file)}: the link ${link}`
    if (!existsSync(target)) return [`${where} leads nowhere`]
    if (anchor === undefined || !statSync(target).isFile()) return []
    if (target.endsWith('playground/src/page.html')) {
      return examples.some(({ id }) => anchor === `example=${id}`) ? [] : [`${where} names no example`]
    }
    return anchors(readFileSync(target, 'utf8')).includes(anchor) ? [] : [`${where} names no heading`]
  })
}

/** Maximum number of lines of a package's README, its page on npm. */
const README_LINES = 80

/** Reports the README of a package that does not fit on a screen. */
export function lengthProblems(path: string, text: string): string[] {
  const lines = text.trimEnd().split('\n').length
  if (!/^packages\/[^/]+\/README\.md$/.test(path) || lines <= README_LINES) return []
  return [`${path}: ${lines} lines, at most ${README_LINES}: move details to a page of docs, and link to it`]
}

const checkFolder = join(root, 'dist/docs-check')

function writeModules(files: string[]) {
  rmSync(checkFolder, { recursive: true, force: true })
  mkdirSync(checkFolder, { recursive: true })
  let count = 0
  for (const file of files) {
    for (const { language, line, code, source } of blocks(readFileSync(file, 'utf8'))) {
      if (language !== 'ts' || source !== undefined) continue
      const name = `${relative(root, file).replaceAll(/[^a-zA-Z0-9]+/g, '-')}-line-${line}.ts`
      writeFileSync(join(checkFolder, name), `${code}\nexport {}\n`)
      count++
    }
  }
  // tsc checks source files and the pages' code blocks in one run, because both import the packages' sources.
  const { include, exclude } = JSON.parse(readFileSync(join(root, 'tsconfig.json'), 'utf8'))
  const fromHere = (patterns: string[]) => patterns.map((pattern) => `../../${pattern}`)
  const tsconfig = {
    extends: '../../tsconfig.base.json',
    include: [...fromHere(include), '*.ts', 'old/**/*.ts'],
    exclude: fromHere(exclude.filter((pattern: string) => pattern !== '**/dist')),
  }
  writeFileSync(join(checkFolder, 'tsconfig.json'), JSON.stringify(tsconfig))
  return count
}
