import { createHash } from 'node:crypto'
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { BuildError, buildExecutable } from '@cni/build'
import { run } from '@cni/host'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const folder = mkdtempSync(join(tmpdir(), 'cni-build-'))
const entry = join(folder, 'main.ts')
const outfile = join(folder, 'out', 'plugin')

beforeAll(async () => {
  writeFileSync(
    entry,
    `import { writeSync } from 'node:fs'
const answer: { leaked: string | undefined; preloaded: unknown } = { leaked: process.env.FROM_DOTENV, preloaded: Reflect.get(globalThis, 'preloaded') }
writeSync(1, JSON.stringify(answer) + '\\n')
`,
  )
  await buildExecutable({ entry, outfile, bundleFile: join(folder, 'plugin.cjs') })
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe('a compiled executable', () => {
  it('ignores .env and bunfig.toml of its working directory, with an empty environment', async () => {
    const cwd = join(folder, 'hostile')
    mkdirSync(cwd)
    writeFileSync(join(cwd, '.env'), 'FROM_DOTENV=leaked\n')
    writeFileSync(join(cwd, 'bunfig.toml'), 'preload = ["./preload.js"]\n')
    writeFileSync(join(cwd, 'preload.js'), 'globalThis.preloaded = true\n')
    const { stdout } = await run([outfile], { cwd, env: {} })
    expect(JSON.parse(stdout)).toEqual({})
  })

  it('works alone when copied elsewhere', async () => {
    const copy = join(folder, 'renamed')
    copyFileSync(outfile, copy)
    expect((await run([copy], { env: {}, cwd: '/' })).exitCode).toBe(0)
  })

  it('has the same bytes when it is built again from the same source under the same name', async () => {
    const again = join(folder, 'again', 'plugin')
    await buildExecutable({ entry, outfile: again, smoke: false })
    expect(sha256(again)).toBe(sha256(outfile))
  })

  it('leaves no temporary file beside it', () => {
    expect(readdirSync(join(folder, 'out'))).toEqual(['plugin'])
  })

  it('runs the same bundle on Node', async () => {
    const { stdout } = await run([process.execPath, join(folder, 'plugin.cjs')], { env: {} })
    expect(JSON.parse(stdout)).toEqual({})
  })
})

describe('buildExecutable', () => {
  it('refuses source that does not parse, naming file and line, and writes nothing', async () => {
    const broken = join(folder, 'broken.ts')
    writeFileSync(broken, 'const = 1\n')
    const attempt = buildExecutable({ entry: broken, outfile: join(folder, 'broken', 'x') })
    await expect(attempt).rejects.toThrow(BuildError)
    await expect(attempt).rejects.toThrow(/broken\.ts:1/)
    expect(existsSync(join(folder, 'broken', 'x'))).toBe(false)
  })

  it('refuses an executable that does not answer VERSION', async () => {
    const silent = join(folder, 'silent.ts')
    writeFileSync(silent, 'process.exitCode = 3\n')
    await expect(buildExecutable({ entry: silent, outfile: join(folder, 'silent') })).rejects.toMatchObject({
      code: 'SMOKE',
      message: expect.stringContaining('does not answer CNI_COMMAND=VERSION'),
    })
  })

  it('compiles again only when the bundle has changed, if it is incremental', async () => {
    const options = {
      entry,
      outfile: join(folder, 'inc', 'plugin'),
      bundleFile: join(folder, 'inc', 'b.cjs'),
      incremental: true,
    }
    expect((await buildExecutable(options)).compiled).toBe(true)
    expect((await buildExecutable(options)).compiled).toBe(false)
    writeFileSync(entry, `${readFileSync(entry, 'utf8')}writeSync(1, '\\n')\n`)
    expect((await buildExecutable(options)).compiled).toBe(true)
  })
})

const sha256 = (file: string): string => createHash('sha256').update(readFileSync(file)).digest('hex')
