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
import { BuildError, type BundleOptions, bundle } from '@cni/build'
import { run, start } from '@cni/host'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { sample } from '../../../../test/deep.ts'
import { NODE } from '../../../../test/node.ts'
import { buildExecutable } from '../with-bun.ts'

const folder = mkdtempSync(join(tmpdir(), 'cni-build-'))
const root = fileURLToPath(new URL('../../../..', import.meta.url))
const entry = join(folder, 'main.ts')
const outfile = join(folder, 'out', 'plugin')
/** Answer of the program without any influence from its environment. */
const alone = { supportedVersions: [] }

beforeAll(async () => {
  writeFileSync(
    entry,
    `import { writeSync } from 'node:fs'
const answer = {
  supportedVersions: [],
  leaked: process.env.FROM_DOTENV,
  preloaded: Reflect.get(globalThis, 'preloaded'),
  optional: optional(),
}
function optional() {
  try { return require('not-installed') } catch { return undefined }
}
writeSync(1, JSON.stringify(answer) + '\\n')
`,
  )
  await buildExecutable({ entry, outfile, bundleFile: join(folder, 'plugin.cjs') })
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe('a compiled executable', () => {
  it('ignores .env, bunfig.toml and node_modules of its working directory, with an empty environment', async () => {
    const cwd = join(folder, 'hostile')
    mkdirSync(cwd)
    writeFileSync(join(cwd, '.env'), 'FROM_DOTENV=leaked\n')
    writeFileSync(join(cwd, 'bunfig.toml'), 'preload = ["./preload.js"]\n')
    writeFileSync(join(cwd, 'preload.js'), 'globalThis.preloaded = true\n')
    addPackage(cwd, 'not-installed')
    const { stdout } = await run([outfile], { cwd, env: {} })
    expect(JSON.parse(stdout)).toEqual(alone)
  })

  it('loads nothing from a node_modules folder that its source does not see', async () => {
    const beside = join(folder, 'beside')
    const names = ['not-installed', 'koffi', 'netlink']
    for (const name of names) addPackage(beside, name)
    const plugin = join(beside, 'plugin')
    const file = join(folder, 'optional.ts')
    const ask = (name: string) => `try { found.push(require('${name}')) } catch {}`
    const answer = 'process.stdout.write(JSON.stringify({ supportedVersions: found }))'
    writeFileSync(file, ['const found = []', ...names.map(ask), answer].join('\n'))
    await buildExecutable({ entry: file, outfile: plugin })
    expect(JSON.parse((await run([plugin], { cwd: beside, env: {} })).stdout)).toEqual(alone)
  })

  it('compiles functions later than bun by default, which saves memory of an idle agent', async () => {
    const file = join(folder, 'hot.ts')
    // By default, bun compiles a function after 300 calls.
    writeFileSync(
      file,
      `function hot(n: number): number {
  let sum = 0
  for (let index = 0; index < 3; index++) sum += n % 7
  return sum
}
let rounds = 0
const timer = setInterval(() => {
  for (let n = 0; n < 100; n++) hot(n)
  if (++rounds < 15) return
  clearInterval(timer)
  const { numberOfDFGCompiles } = process.getBuiltinModule('bun:jsc')
  process.stdout.write(JSON.stringify({ supportedVersions: [], compiled: numberOfDFGCompiles(hot) }))
}, 5)
`,
    )
    const program = join(folder, 'hot')
    await buildExecutable({ entry: file, outfile: program })
    expect(JSON.parse((await run([program], { env: {} })).stdout)).toMatchObject({ compiled: 0 })
  })

  it('runs as bun if the environment asks for it, as the guide warns', async () => {
    const version = expect.stringMatching(/^1\.\d+\.\d+$/)
    const said = async (env: Record<string, string>) => (await run([outfile, '--version'], { env })).stdout.trim()
    expect([await said({ BUN_BE_BUN: '1' }), await said({ BUN_OPTIONS: '--version' })]).toEqual([version, version])
    expect(JSON.parse(await said({}))).toEqual(alone)
  })

  it.each(['ulimit -n 16', 'ulimit -v 1000000', 'ulimit -c unlimited', 'ulimit -f 0'])(
    'answers after %s',
    async (limit) => {
      const cwd = mkdtempSync(join(folder, 'limit-'))
      const { stdout } = await run(['sh', '-c', `${limit}; exec "$0"`, outfile], { cwd, env: {} })
      expect(JSON.parse(stdout)).toEqual(alone)
      expect(readdirSync(cwd)).toEqual([])
    },
  )

  it.each(['<&-', '2>&-', '<&- 2>&-'])('answers with %s: descriptors that are not open', async (closed) => {
    const { stdout } = await run(['sh', '-c', `exec "$0" ${closed}`, outfile], { env: {} })
    expect(JSON.parse(stdout)).toEqual(alone)
  })

  it.each(['>&-', '<&- >&-', '>&- 2>&-', '<&- >&- 2>&-'])('ends with %s, and opens no other file', async (closed) => {
    const cwd = mkdtempSync(join(folder, 'closed-'))
    const { exitCode, signal } = await run(['sh', '-c', `exec "$0" ${closed}`, outfile], {
      cwd,
      env: {},
      reject: false,
    })
    expect({ signal, exitCode, files: readdirSync(cwd) }).toEqual({
      signal: null,
      exitCode: expect.any(Number),
      files: [],
    })
  })

  it('runs after it is copied elsewhere', async () => {
    const copy = join(folder, 'renamed')
    copyFileSync(outfile, copy)
    expect((await run([copy], { env: {}, cwd: '/' })).exitCode).toBe(0)
  })

  it('leaves no temporary file beside it', () => {
    expect(readdirSync(join(folder, 'out'))).toEqual(['plugin'])
  })

  it('has the same bundle that runs on Node', async () => {
    const { stdout } = await run([process.execPath, join(folder, 'plugin.cjs')], { env: {} })
    expect(JSON.parse(stdout)).toEqual(alone)
  })
})

describe('a build of the same source, file name and compiler', () => {
  const cli = fileURLToPath(new URL('../../src/cli.ts', import.meta.url))

  /** Copies the source to a folder and builds it there, in a shell with other settings. */
  async function build(where: string, up: string, settings: string, options: readonly string[]): Promise<string[]> {
    const cwd = join(folder, where)
    for (const path of [cwd, join(cwd, up, 'src')]) mkdirSync(path, { recursive: true })
    copyFileSync(entry, join(cwd, up, 'src/main.ts'))
    const command = [...NODE, cli, join(up, 'src/main.ts'), '-o', 'out/plugin', ...options]
    const argv = ['sh', '-c', `${settings}; exec "$@"`, 'sh', ...command, '--bundle=out/b.cjs'] as const
    await run([...argv], { cwd })
    return ['plugin', 'b.cjs'].map((file) => sha256(join(cwd, 'out', file)))
  }

  const ways = [
    ['--runtime=bun'],
    ['--runtime=bun', '--smoke=none'],
    ['--no-snapshot'],
    ['--runtime=bun', '--no-minify', '--smoke=none'],
  ]
  const drawn = sample(ways, (options) => options.includes('--runtime=bun'))
  it.each(drawn.map((options) => [options]))(
    '%j: gives the same bytes in another folder, locale, time zone and umask',
    async (options) => {
      const name = `same${options.join('')}`
      const here = await build(`${name}/a`, '.', 'umask 022; export TZ=UTC LC_ALL=C', options)
      const there = await build(
        `${name}/b/c`,
        '../src of b',
        'umask 077; export TZ=Asia/Tokyo LC_ALL=C.UTF-8 HOME=/nowhere BUN_OPTIONS=--version',
        options,
      )
      expect(there).toEqual(here)
    },
  )
})

describe('a bundle', () => {
  const source = (): string => {
    const file = join(folder, 'branches.ts')
    writeFileSync(file, `process.stdout.write(process.versions.bun === undefined ? 'for node' : 'for bun')\n`)
    return file
  }

  it('contains only the code for its runtime, and all code without a runtime', async () => {
    const text = async (options: Pick<BundleOptions, 'runtime'>) => (await bundle({ entry: source(), ...options })).text
    expect([await text({ runtime: 'bun' }), await text({})]).toEqual([
      expect.not.stringContaining('for node'),
      expect.stringMatching(/for node.*for bun/),
    ])
  })

  it('reports the size of each package', async () => {
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
  it('rejects source that does not parse, names file and line, and writes nothing', async () => {
    const broken = join(folder, 'broken.ts')
    writeFileSync(broken, 'const = 1\n')
    const attempt = buildExecutable({ entry: broken, outfile: join(folder, 'broken', 'x') })
    await expect(attempt).rejects.toThrow(BuildError)
    await expect(attempt).rejects.toThrow(/broken\.ts:1/)
    expect(existsSync(join(folder, 'broken', 'x'))).toBe(false)
  })

  it.each([
    ['ends at once', 'process.exitCode = 3', 'it ended with exit code 3 and printed nothing'],
    ['prints something else', 'process.stdout.write("hello")', 'no JSON with "supportedVersions"; it printed\nhello'],
    ['prints other JSON', 'process.stdout.write("null")', 'no JSON with "supportedVersions"; it printed\nnull'],
    ['is killed', 'process.kill(process.pid, "SIGKILL")', 'it was ended by SIGKILL and printed nothing'],
    ['throws', 'throw new Error("at load")', 'it ended with exit code 1'],
  ])('rejects an executable that %s, and reports how it ended', async (name, source, sentence) => {
    const file = join(folder, `${name}.ts`)
    writeFileSync(file, source)
    const attempt = buildExecutable({ entry: file, outfile: join(folder, 'refused', name) })
    await expect(attempt).rejects.toMatchObject({ code: 'SMOKE', message: expect.stringContaining(sentence) })
    expect(readdirSync(join(folder, 'refused'))).toEqual([])
  })

  it('warns about import.meta, which is empty in an executable', async () => {
    const file = join(folder, 'meta.ts')
    writeFileSync(file, 'process.stdout.write(JSON.stringify({ supportedVersions: [], url: import.meta.url }))')
    const { warnings } = await buildExecutable({ entry: file, outfile: join(folder, 'meta', 'plugin') })
    expect(warnings.join()).toMatch(/meta\.ts:1:.*It is \{\} in an executable/s)
  })

  it('ends its processes and removes its files when it is aborted', async () => {
    const file = join(folder, 'never.ts')
    const pidFile = join(folder, 'never.pid')
    writeFileSync(
      file,
      `import { writeFileSync } from 'node:fs'
process.on('SIGTERM', () => process.exit())
setInterval(() => {}, 1000)
writeFileSync(${JSON.stringify(pidFile)}, String(process.pid))
`,
    )
    const stop = new AbortController()
    const attempt = buildExecutable({ entry: file, outfile: join(folder, 'stopped', 'plugin'), signal: stop.signal })
    await vi.waitUntil(() => existsSync(pidFile) && readFileSync(pidFile, 'utf8') !== '', { timeout: 10_000 })
    stop.abort(new Error('stopped by SIGINT'))
    await expect(attempt).rejects.toMatchObject({ code: 'ABORTED', message: 'stopped by SIGINT' })
    expect(existsSync(`/proc/${readFileSync(pidFile, 'utf8')}`)).toBe(false)
    expect(readdirSync(join(folder, 'stopped'))).toEqual([])
  })

  it.each(['SIGINT', 'SIGTERM'] as const)('cni-build ends on %s and leaves no files', async (signal) => {
    const cli = fileURLToPath(new URL('../../src/cli.ts', import.meta.url))
    const out = join(folder, signal)
    const file = join(folder, 'slow.ts')
    writeFileSync(file, 'setInterval(() => {}, 1000)\n')
    let said = ''
    const started = start([...NODE, cli, file, '--runtime=bun', '-o', join(out, 'plugin')], {
      stderr: (chunk) => {
        const before = said.includes('compiled with')
        said += Buffer.from(chunk).toString()
        if (!before && said.includes('compiled with')) started.kill(signal)
      },
    })
    await expect(started.done).rejects.toMatchObject({ exitCode: signal === 'SIGINT' ? 130 : 143 })
    expect(said).toContain(`received ${signal}`)
    expect(readdirSync(out)).toEqual([])
  })

  it('names the folder that is not writable', async () => {
    const attempt = buildExecutable({ entry, outfile: join(entry, 'plugin') })
    await expect(attempt).rejects.toMatchObject({
      code: 'WRITE',
      message: expect.stringMatching(/^cannot write .*\/main\.ts\/plugin: E/),
    })
  })

  it('rejects an executable that does not answer VERSION, and keeps the old file', async () => {
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

  it.each([
    ['plugin', { args: [], env: { CNI_COMMAND: 'VERSION' } }],
    ['command', { args: ['--help'], env: {} }],
  ] as const)('starts a %s without any environment of the build machine', async (smoke, expected) => {
    vi.stubEnv('OF_THE_BUILD_MACHINE', '1')
    onTestFinished(() => {
      vi.unstubAllEnvs()
    })
    const record = join(folder, `${smoke}.starts`)
    const recording = join(folder, `${smoke}.ts`)
    writeFileSync(
      recording,
      `import { appendFileSync } from 'node:fs'
const start = { args: process.argv.slice(2), env: process.env }
appendFileSync(${JSON.stringify(record)}, JSON.stringify(start) + '\\n')
console.log('{"supportedVersions":[]}')
`,
    )
    await buildExecutable({ entry: recording, outfile: join(folder, smoke, 'plugin'), smoke })
    const starts = readFileSync(record, 'utf8').trim().split('\n')
    expect([...new Set(starts)]).toEqual([JSON.stringify(expected)])
  })

  it('compiles again only if the bundle has changed, with the option incremental', async () => {
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

function addPackage(where: string, name: string): void {
  mkdirSync(join(where, 'node_modules', name), { recursive: true })
  writeFileSync(join(where, 'node_modules', name, 'index.js'), `module.exports = '${name} was loaded'\n`)
}

const sha256 = (file: string): string => createHash('sha256').update(readFileSync(file)).digest('hex')
