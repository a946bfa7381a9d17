import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { exec, root } from './exec.mjs'
import { Stop } from './progress.mjs'

/** Every ```ts block of every Markdown file is a module that must type-check against the packages' sources. */
export async function checkDocs() {
  const folder = join(root, 'dist/docs-check')
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  let count = 0
  for (const file of markdownFiles(root)) {
    for (const { line, code } of blocks(readFileSync(file, 'utf8'))) {
      const name = `${relative(root, file).replaceAll(/[^a-zA-Z0-9]+/g, '-')}-line-${line}.ts`
      writeFileSync(join(folder, name), `${code}\nexport {}\n`)
      count++
    }
  }
  if (count === 0) throw new Stop('no ```ts block found in any Markdown file: is the check looking in the right place?')
  const tsconfig = {
    extends: '../../tsconfig.base.json',
    include: ['*.ts'],
    compilerOptions: { noUnusedLocals: false },
  }
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(tsconfig))
  await exec(['tsc', '-p', join(folder, 'tsconfig.json')], { quiet: true })
  return { note: `${count} blocks` }
}

/** @param {string} folder @returns {string[]} */
const markdownFiles = (folder) =>
  readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    if (entry.name.startsWith('.') || ['node_modules', 'dist'].includes(entry.name)) return []
    const path = join(folder, entry.name)
    if (entry.isDirectory()) return markdownFiles(path)
    return entry.name.endsWith('.md') ? [path] : []
  })

/** @param {string} text */
function blocks(text) {
  const found = []
  for (const match of text.matchAll(/^```ts\n([\s\S]*?)^```$/gm)) {
    found.push({ line: text.slice(0, match.index).split('\n').length + 1, code: match[1] ?? '' })
  }
  return found
}
