import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { root } from '../../scripts/lib/exec.ts'
import { main, Stop, say } from '../../scripts/lib/progress.ts'
import { BASELINE } from '../lib/options.ts'
import { ReportError, readReport } from '../lib/report/report.ts'
import { plots } from './pictures.ts'
import { PAGES, withTables } from './tables.ts'

await main(async () => {
  const [name = BASELINE, more] = process.argv.slice(2)
  if (name.startsWith('-') || more !== undefined) throw new Stop('expected at most one file: npm run plot [-- FILE]')
  const report = read(resolve(root, name))
  mkdirSync(join(root, 'docs/plots'), { recursive: true })
  for (const [file, svg] of Object.entries(plots(report))) write(join('docs/plots', file), svg)
  for (const page of PAGES) write(page, withTables(readFileSync(join(root, page), 'utf8'), report))
})

function write(path: string, text: string) {
  writeFileSync(join(root, path), text)
  say(path)
}

function read(file: string) {
  try {
    return readReport(file)
  } catch (error) {
    if (error instanceof ReportError) throw new Stop(`${error.message}\nsudo npm run bench -- --save makes one`)
    throw error
  }
}
