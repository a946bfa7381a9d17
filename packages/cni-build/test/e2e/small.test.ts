import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type BuildExecutableOptions, buildExecutable, inspect } from '@cni/build'
import { findExecutable, run } from '@cni/host'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { NODE } from '../../../../test/node.ts'
import { cli } from '../cli.ts'

const folder = mkdtempSync(join(tmpdir(), 'cni-small-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const root = fileURLToPath(new URL('../../../..', import.meta.url))

const write = (name: string, text: string): string => {
  mkdirSync(join(folder, 'src'), { recursive: true })
  writeFileSync(join(folder, 'src', name), text)
  return join(folder, 'src', name)
}
/** Source of a program with `body` as its start function. */
const started = (name: string, body: string, more = ''): string =>
  write(
    name,
    `import { startupSnapshot } from 'node:v8'
${more}
startupSnapshot.setDeserializeMainFunction(() => {
${body}
})
`,
  )
const build = (entry: string, options: Partial<BuildExecutableOptions> = {}) =>
  buildExecutable({ entry, outfile: join(folder, 'out', 'program'), smoke: false, ...options })
const said = async (argv: [string, ...string[]], env: Record<string, string> = {}) =>
  (await run(argv, { env, cwd: '/' })).stdout

const answer = `console.log('{"supportedVersions":["1.0.0"]}')`

describe('an executable with the small runtime', () => {
  const outfile = join(folder, 'plugin', 'hello-chain')
  const options = { entry: join(root, 'examples/hello-chain/src/main.ts'), conditions: ['@cni/source'] }
  beforeAll(async () => {
    await buildExecutable({ ...options, outfile })
  })

  it('is a plugin that needs only the kernel', async () => {
    expect(JSON.parse(await said([outfile], { CNI_COMMAND: 'VERSION' }))).toMatchObject({ cniVersion: '1.1.0' })
    const { runtime, arch, heapBytes, packages } = inspect(outfile)
    expect({ runtime, arch, heap: heapBytes > 1e6 }).toEqual({ runtime: '0.1.0', arch: process.arch, heap: true })
    expect(packages.map(({ package: name }) => name)).toEqual(expect.arrayContaining(['@cni/skel', 'zod']))
    expect(await said([outfile, '--version'])).toBe('hello-chain 0.1.0 (small 0.1.0)\n')
  })

  it.each([
    ['a regular expression', "/^(?:(?:a+)+)+$/.test('a'.repeat(40) + 'b')"],
    ['a loop', 'for (;;);'],
  ])('ends %s that never returns, at the deadline with code 11', async (what, runaway) => {
    const source = `import { definePlugin, pluginMain } from '@cni/skel'
pluginMain(definePlugin({ name: 'runaway', timeout: 300, add: () => ({}), del() { ${runaway} } }))`
    const entry = join(root, 'packages/cni-build/test/e2e', `.runaway-${what.length}.ts`)
    writeFileSync(entry, source)
    onTestFinished(() => rmSync(entry))
    const { outfile: file } = await build(entry, { conditions: ['@cni/source'] })
    const env = { CNI_COMMAND: 'DEL', CNI_CONTAINERID: 'a', CNI_IFNAME: 'eth0', CNI_PATH: '/' }
    const input = JSON.stringify({ cniVersion: '1.0.0', name: 'n', type: 'runaway' })
    const { stdout, exitCode } = await run([file], { env, input, reject: false })
    expect({ exitCode, error: JSON.parse(stdout) }).toMatchObject({
      exitCode: 1,
      error: { code: 11, msg: 'DEL did not finish within 300 ms' },
    })
  })

  it('has the same bytes for any time, environment and folder', async () => {
    vi.stubEnv('DEBUG', 'cni:*')
    onTestFinished(() => {
      vi.unstubAllEnvs()
    })
    const again = join(folder, 'again', 'hello-chain')
    await buildExecutable({ ...options, outfile: again })
    expect(readFileSync(again).equals(readFileSync(outfile))).toBe(true)
  })

  it('includes TLS only if the program imports a module that uses it', async () => {
    const sizes = new Map<string, number>()
    for (const name of ['node:https', 'node:tls', 'node:http', 'node:crypto']) {
      const entry = started('imports.ts', `console.log(typeof all)`, `import * as all from '${name}'`)
      const { outfile: program } = await build(entry)
      expect(await said([program])).toBe('object\n')
      sizes.set(name, inspect(program).runtimeBytes)
    }
    expect(sizes.get('node:tls')).toBe(sizes.get('node:https'))
    expect(sizes.get('node:crypto')).toBe(sizes.get('node:http'))
    expect(sizes.get('node:https')).toBeGreaterThan((sizes.get('node:http') ?? 0) + 150_000)
  })

  it('evaluates its modules once, and starts with the evaluated heap', async () => {
    const entry = started(
      'anew.ts',
      `count += 1; console.log(JSON.stringify([count, process.env, process.argv.slice(2), Math.random()]))`,
      'let count = 1',
    )
    const { outfile: program } = await build(entry)
    const [first, second] = [await said([program, 'a'], { A: '1' }), await said([program, 'b'], { B: '2' })].map(
      (text) => JSON.parse(text),
    )
    expect([first.slice(0, 3), second.slice(0, 3)]).toEqual([
      [2, { A: '1' }, ['a']],
      [2, { B: '2' }, ['b']],
    ])
    expect(first[3]).not.toBe(second[3])
  })
})

describe('a module that reads a value that differs between starts', () => {
  it.each([
    ['the environment', 'export const home = process.env.HOME', 'process.env was used'],
    ['the arguments', 'export const args = process.argv', 'process.argv was used'],
    ['the clock', '\n\nexport const now = Date.now()', 'Date.now() was used'],
    ['a random number', 'export const random = Math.random()', 'Math.random() was used'],
    [
      'a file',
      `import { readFileSync } from 'node:fs'\nexport const text = readFileSync('/etc/hostname')`,
      'the system call openat was used',
    ],
  ])('%s fails the build, with the line', async (_what, text, sentence) => {
    write('reads.ts', text)
    const line = text.split('\n').length
    const attempt = build(started('uses.ts', answer, "import './reads.ts'"))
    await expect(attempt).rejects.toMatchObject({ code: 'COMPILE', message: expect.stringContaining(sentence) })
    await expect(attempt).rejects.toThrow(new RegExp(`src/reads\\.ts:${line}:\\d+`))
    await expect(attempt).rejects.toThrow(/or build with --no-snapshot\.$/)
  })

  it('builds without a snapshot', async () => {
    const { outfile } = await build(write('plain.ts', 'console.log(process.env.HOME)'), { snapshot: false })
    expect(await said([outfile], { HOME: '/root' })).toBe('/root\n')
  })
})

describe('a program that uses a feature that the small runtime lacks', () => {
  it.each([
    [
      'a module',
      `import { connect } from 'node:http2'\nexport const x = connect`,
      'uses.ts:1: the module "node:http2"',
    ],
    [
      'a member',
      `import { watchFile } from 'node:fs'\nexport const x = watchFile`,
      'node:fs of the small runtime has no member "watchFile"',
    ],
    [
      'a member of a namespace',
      `import * as fs from 'node:fs'\nexport const x = fs.watchFile`,
      'watchFile of the module "node:fs"',
    ],
    ['a global', 'export const x = () => fetch("http://x")', 'uses.ts:1:24: the global fetch'],
    [
      'a locale',
      'export const x = (a: string) => a.localeCompare("b")',
      'localeCompare(), whose result depends on a locale',
    ],
    [
      'a regular expression',
      'export const x =\n/[a--b]/v',
      'uses.ts:2:1: SyntaxError: invalid regular expression flags',
    ],
    ['an entry without a start', 'export const x = 1', 'registers no main function'],
    ['an error', '\nthrow new TypeError("at load")', 'TypeError: at load'],
  ])('%s is rejected with a message', async (_what, text, sentence) => {
    await expect(build(write('uses.ts', text))).rejects.toThrow(sentence)
  })

  it('is built if it checks for the feature, or does not use the import', async () => {
    const entry = started(
      'asks.ts',
      `console.log(typeof fetch === 'undefined' ? 'none' : fetch('x'))`,
      `import http2 from 'node:http2'\nexport const unused = (): unknown => (false ? http2 : undefined)`,
    )
    expect(await said([(await build(entry)).outfile])).toBe('none\n')
  })
})

describe('cni-build', () => {
  it('`cni-build where` replaces positions in a log by positions in the source', async () => {
    const entry = started(
      'fails.ts',
      'deep(2)',
      'function deep(n: number): void {\n  if (n === 0) throw new Error("deep down")\n  deep(n - 1)\n}',
    )
    const { outfile, map = '' } = await build(entry)
    const { stderr } = await run([outfile], { env: {}, reject: false })
    expect(stderr).toMatch(/at deep \(program\.js:\d+:\d+\)/)
    const log = join(folder, 'log')
    writeFileSync(log, `a line\n${stderr}`)
    const { stdout } = await run(['sh', '-c', '"$@" < "$0"', log, ...CNI_BUILD, 'where', map], { cwd: folder })
    expect(stdout).toMatch(
      /^a line\n.*deep down\n +at deep \(src\/fails\.ts:3:\d+\)\n +at deep \(src\/fails\.ts:4:\d+\)/s,
    )
  })

  it('inspect prints versions and sizes', async () => {
    const { outfile } = await build(started('small.ts', answer))
    const { out, exitCode } = await cli('inspect', outfile)
    expect([exitCode, out]).toEqual([
      0,
      expect.stringMatching(/runtime {3}0\.1\.0, QuickJS 20\d\d-.*heap.*kB {2}@cni\/runtime/s),
    ])
    expect(JSON.parse((await cli('inspect', '--json', outfile)).out)).toMatchObject({ quickjs: expect.any(String) })
  })
})

const CNI_BUILD = [...NODE, fileURLToPath(new URL('../../src/cli.ts', import.meta.url))] as const

const emulator = findExecutable('qemu-aarch64-static')
// Runs only if the runtime for arm64 was compiled, which needs gcc for arm64.
const runtimeArm64 = join(root, 'packages/runtime-linux-arm64/bin/cni-runtime')
it.runIf(process.arch === 'x64' && emulator !== undefined && existsSync(runtimeArm64))(
  'an executable for arm64 is built here and runs on arm64',
  async () => {
    const { outfile, notStarted, target } = await build(started('first.ts', answer), {
      target: 'linux-arm64',
      smoke: 'plugin',
    })
    expect([target, notStarted, inspect(outfile).arch]).toEqual([
      'linux-arm64',
      expect.stringContaining('does not run'),
      'arm64',
    ])
    expect(await said([emulator ?? '', outfile])).toBe('{"supportedVersions":["1.0.0"]}\n')
  },
)
