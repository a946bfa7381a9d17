// npm run plot [-- FILE]: tables and pictures of docs/performance.md and docs/benchmarks.md, from the stored baseline or another report.

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Report } from '../bench/lib/report.ts'
import { BASELINE } from './lib/bench-options.ts'
import { plots } from './lib/bench-plots.ts'
import { PAGES, withTables } from './lib/bench-tables.ts'
import { root } from './lib/exec.ts'
import { main, Stop, say } from './lib/progress.ts'

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

function read(file: string): Report {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : cause
    throw new Stop(`${file} cannot be read: run sudo npm run bench -- --save first (${why})`)
  }
}
