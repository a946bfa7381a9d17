import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { buildSmall, isBuilt, NOT_BUILT } from './same.ts'

/** Expressions at module level, and the build's message for each. */
const REFUSED: readonly (readonly [expression: string, named: string])[] = [
  ['process.env.HOME', 'process.env was used while the program was built'],
  ['process.argv', 'process.argv was used while the program was built'],
  ['process.argv0', 'process.argv0 was used while the program was built'],
  ['Date.now()', 'Date.now() was used while the program was built'],
  ['new Date()', 'new Date() was used while the program was built'],
  ['Date()', 'Date() was used while the program was built'],
  ['performance.now()', 'performance.now() was used while the program was built'],
  ['process.hrtime()', 'process.hrtime() was used while the program was built'],
  ['Math.random()', 'Math.random() was used while the program was built'],
  ["(await import('node:crypto')).randomUUID()", 'random bytes was used while the program was built'],
  ['setTimeout(() => {}, 1)', 'a timer was used while the program was built'],
  ["(await import('node:fs')).readFileSync('/etc/hostname')", 'openat'],
  ["console.log('x')", 'ioctl'],
  ['process.pid', 'getpid'],
  ['process.exit(0)', 'exit_group'],
]

const ALLOWED = [
  'new Date(0).toISOString()',
  'process.platform',
  'process.versions.cni',
  'new AbortController()',
  "Buffer.from('x')",
  'new URL("http://h")',
  'process.on("exit", () => {})',
]

describe.skipIf(!isBuilt)(`While the image is made (${NOT_BUILT})`, () => {
  const folder = mkdtempSync(join(tmpdir(), 'cni-snapshot-'))
  afterAll(() => rmSync(folder, { recursive: true }))
  const built = async (expression: string): Promise<string> => {
    const file = join(folder, 'program.ts')
    writeFileSync(file, `const value = ${expression}\nexport default () => { process.stdout.write(typeof value) }\n`)
    return buildSmall(file, folder)
  }
  const refusal = async (expression: string): Promise<string> => {
    try {
      await built(expression)
    } catch (error) {
      return error instanceof Error && 'stderr' in error ? String(error.stderr) : String(error)
    }
    return 'was built'
  }

  it.for(REFUSED)('%s is refused', async ([expression, named]) => {
    const said = await refusal(expression)
    expect(said).toContain(named)
    expect(said).toMatch(/program\.js:\d+/)
  })

  it.for(ALLOWED)('%s is allowed', async (expression) => {
    expect(execFileSync(await built(expression), { encoding: 'utf8' })).toMatch(/^(string|object)$/)
  })
})
