import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buildExecutable } from '@cni/build'
import { run } from '@cni/host'
import { afterAll, describe, expect, it } from 'vitest'

const folder = mkdtempSync(join(tmpdir(), 'cni-build-layout-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

function write(name: string, text: string): string {
  const file = join(folder, name)
  writeFileSync(file, text)
  return file
}

const VERSIONS = JSON.stringify({ supportedVersions: ['1.1.0'] })

/** Says how many functions it has loaded from which part of its bytecode; null for one that is not laid out. */
const entry = write(
  'main.ts',
  `const { bytecodeOrderStats } = process.getBuiltinModule('bun:jsc')
function unused() { return [1, 2, 3].map((n) => n * 2) }
if (process.env.CNI_COMMAND === 'ADD') console.log(unused())
const stats = bytecodeOrderStats()
console.log(JSON.stringify({ supportedVersions: [], stats: stats && { hot: stats.hot, cold: stats.cold } }))
`,
)

async function build(name: string, options: Partial<Parameters<typeof buildExecutable>[0]> = {}) {
  const outfile = join(folder, name, 'plugin')
  mkdirSync(join(folder, name))
  const lines: string[] = []
  const built = await buildExecutable({ entry, outfile, onProgress: (line) => lines.push(line), ...options })
  return { built, lines }
}

const statsOf = async (file: string) =>
  JSON.parse((await run([file], { env: { CNI_COMMAND: 'VERSION' } })).stdout).stats

describe('an executable with bun', () => {
  it('has the code that its start uses at one place', async () => {
    const { built } = await build('laid-out')
    expect(built).toMatchObject({ ordered: true, compiled: true })
    expect(await statsOf(built.outfile)).toEqual({ hot: expect.toSatisfy((count) => count > 0), cold: 0 })
  })

  it('that is not started is as it was compiled', async () => {
    const { built, lines } = await build('not-started', { smoke: false })
    expect(built.ordered).toBe(false)
    expect(lines.filter((line) => line.startsWith('compiled'))).toHaveLength(1)
    expect(await statsOf(built.outfile)).toBe(null)
  })

  it('is as it was compiled where its start leaves no record, and says so', async () => {
    const other = write('other.ts', `process.execve('/bin/echo', ['echo', ${JSON.stringify(VERSIONS)}])`)
    const { built, lines } = await build('unrecorded', { entry: other })
    expect(built.ordered).toBe(false)
    expect(lines).toContainEqual(
      expect.stringMatching(/^its code is not laid out for a start: bun 1\.\S+ has recorded/),
    )
  })

  it('that does not start is refused in its own words', async () => {
    const broken = write('broken.ts', `console.error('no such thing'); process.exit(3)`)
    await expect(build('broken', { entry: broken })).rejects.toMatchObject({
      code: 'SMOKE',
      message: 'plugin does not answer CNI_COMMAND=VERSION: it ended with exit code 3\nno such thing',
    })
  })
})
