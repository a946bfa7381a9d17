import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { PAIRS } from '../test/pairs.ts'
import { projectFiles } from './project.ts'
import { writeProject } from './write-project.ts'

const modules = fileURLToPath(new URL('../../../node_modules', import.meta.url))
const run = promisify(execFile)

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'projects-'))
  symlinkSync(modules, join(folder, 'node_modules'))
  for (const options of PAIRS) writeProject(join(folder, options.name), projectFiles(options))
  // The projects' own configuration, but with sources of the packages.
  const config = {
    compilerOptions: { customConditions: ['@cni/source'] },
    include: ['*/src', '*/test', '*/conformance'],
  }
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ extends: './chained-routes/tsconfig.json', ...config }))
  const conditions = `['@cni/source', 'node']`
  writeFileSync(
    join(folder, 'vitest.config.mjs'),
    `export default { resolve: { conditions: ${conditions} }, ssr: { resolve: { conditions: ${conditions}, externalConditions: ${conditions} } } }`,
  )
})
afterAll(() => rmSync(folder, { recursive: true }))

it('every project type-checks', async () => {
  await run(process.execPath, [join(modules, 'typescript-7/bin/tsc'), '-p', folder], { cwd: folder })
}, 120_000)

it('the tests of every project that need no root pass', async () => {
  const report = join(folder, 'report.json')
  const argv = [
    join(modules, 'vitest/vitest.mjs'),
    'run',
    '--no-isolate',
    '--reporter=json',
    `--outputFile=${report}`,
    'src/',
  ]
  await run(process.execPath, argv, { cwd: folder, maxBuffer: 1e8 })
  const { success, testResults } = JSON.parse(readFileSync(report, 'utf8'))
  expect(success).toBe(true)
  expect(testResults.length).toBeGreaterThanOrEqual(2 * PAIRS.length)
}, 120_000)
