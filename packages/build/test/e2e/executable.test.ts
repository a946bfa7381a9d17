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
import { fileURLToPath } from 'node:url'
import { BuildError, type BundleOptions, buildExecutable, bundle } from '@cni/build'
import { run } from '@cni/host'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const folder = mkdtempSync(join(tmpdir(), 'cni-build-'))
const root = fileURLToPath(new URL('../../../..', import.meta.url))
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

  it('is bun where the environment says so, which the README warns of', async () => {
    const version = expect.stringMatching(/^1\.\d+\.\d+$/)
    const said = async (env: Record<string, string>) => (await run([outfile, '--version'], { env })).stdout.trim()
    expect([await said({ BUN_BE_BUN: '1' }), await said({ BUN_OPTIONS: '--version' })]).toEqual([version, version])
    expect(JSON.parse(await said({}))).toEqual({})
  })

  it('works alone when copied elsewhere', async () => {
    const copy = join(folder, 'renamed')
    copyFileSync(outfile, copy)
    expect((await run([copy], { env: {}, cwd: '/' })).exitCode).toBe(0)
  })

  it('has the same bytes when the same source is built elsewhere, later, under the same name', async () => {
    const copy = join(folder, 'copy', 'of', 'source.ts')
    const again = join(folder, 'again', 'plugin')
    mkdirSync(join(folder, 'copy', 'of'), { recursive: true })
    copyFileSync(entry, copy)
    await buildExecutable({ entry: copy, outfile: again, smoke: false })
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

describe('an executable with Node in it', () => {
  const withNode = join(folder, 'node', 'plugin')
  const again = join(folder, 'node-again', 'plugin')
  const build = (file: string) => buildExecutable({ entry, outfile: file, runtime: 'node' })

  it('is built, started and described like one with bun, twice with the same bytes', async () => {
    const [built] = await Promise.all([build(withNode), build(again)])
    expect(sha256(again)).toBe(sha256(withNode))
    expect(built).toMatchObject({ runtime: 'node', version: expect.stringMatching(/^26\./), compiled: true })
    expect(built.needs?.libraries).toContain('libatomic.so.1')
    expect(built.startMs).toBeGreaterThan(0)
  })

  it('ignores NODE_OPTIONS, .env and package.json', async () => {
    const cwd = join(folder, 'hostile-node')
    mkdirSync(cwd)
    writeFileSync(join(cwd, '.env'), 'FROM_DOTENV=leaked\n')
    writeFileSync(join(cwd, 'preload.cjs'), 'globalThis.preloaded = true\n')
    writeFileSync(join(cwd, 'package.json'), '{"type": "module", "main": "preload.cjs"}')
    const { stdout } = await run([withNode], { cwd, env: { NODE_OPTIONS: '--require ./preload.cjs --env-file=.env' } })
    expect(JSON.parse(stdout)).toEqual({})
  })
})

describe('a bundle', () => {
  const source = (): string => {
    const file = join(folder, 'branches.ts')
    writeFileSync(file, `process.stdout.write(process.versions.bun === undefined ? 'for node' : 'for bun')\n`)
    return file
  }

  it('has only what its runtime needs, and everything without one', async () => {
    const text = async (options: Pick<BundleOptions, 'runtime'>) => (await bundle({ entry: source(), ...options })).text
    expect([await text({ runtime: 'bun' }), await text({ runtime: 'node' }), await text({})]).toEqual([
      expect.not.stringContaining('for node'),
      expect.not.stringContaining('for bun'),
      expect.stringMatching(/for node.*for bun/),
    ])
  })

  it('tells whose code is in it', async () => {
    const { packages, bytes } = await bundle({
      entry: join(root, 'examples/hello-chain/src/main.ts'),
      conditions: ['@cni/source'],
    })
    expect(packages.map(({ package: name }) => name)).toEqual(
      expect.arrayContaining(['@cni-examples/hello-chain', '@cni/iptables', '@cni/skel', 'zod']),
    )
    expect(packages.reduce((sum, share) => sum + share.bytes, 0)).toBeLessThanOrEqual(bytes)
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

  it('refuses an executable that does not answer VERSION, and keeps the one that was there', async () => {
    const silent = join(folder, 'silent.ts')
    const kept = join(folder, 'silent', 'plugin')
    mkdirSync(join(folder, 'silent'))
    writeFileSync(kept, 'the one that was there')
    writeFileSync(silent, 'process.exitCode = 3\n')
    await expect(buildExecutable({ entry: silent, outfile: kept })).rejects.toMatchObject({
      code: 'SMOKE',
      message: expect.stringContaining('does not answer CNI_COMMAND=VERSION'),
    })
    expect(readFileSync(kept, 'utf8')).toBe('the one that was there')
    expect(readdirSync(join(folder, 'silent'))).toEqual(['plugin'])
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
