import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { run, start } from '@cni/host'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { buildExecutable } from '../with-bun.ts'

const folder = mkdtempSync(join(tmpdir(), 'cni-build-variables-'))
const entry = join(import.meta.dirname, 'fixture', 'probe.ts')
const executable = join(folder, 'bun', 'probe')

beforeAll(async () => {
  await buildExecutable({ entry, outfile: executable, smoke: false })
}, 60_000)
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Effect of each variable on the runtime. `@` is the working directory. */
const VARIABLES: readonly (readonly [variable: string, effect: string])[] = [
  ['BUN_INSPECT=127.0.0.1:0', 'listens for a debugger'],
  ['BUN_INSPECT=unix://@/before/socket', 'listens for a debugger'],
  ['BUN_INSPECT_CONNECT_TO=unix://@/none', 'looks for a debugger'],
  ['BUN_JSC_useJIT=0', 'has no FFI'],
  ['JavaScriptCoreUseJIT=0', 'has no FFI'],
  ['BUN_JSC_logGC=1', 'tells of its memory on stderr'],
  ['BUN_JSC_useSamplingProfiler=1', 'samples itself'],
  ['BUN_BYTECODE_ORDER_OUT=@/order', 'writes a file when it ends'],
  ['BUN_BYTECODE_DIGEST_OUT=@/digest', 'writes a file when it ends'],
  ['BUN_OPTIONS=--cpu-prof', 'writes a file when it ends'],
  ['BUN_OPTIONS=--smol', 'saves memory'],
  ['BUN_BE_BUN=0', 'does nothing'],
  ['BUN_CONFIG_VERBOSE_FETCH=curl', 'prints requests, and the tokens in them'],
  ['BUN_CONFIG_MAX_HTTP_REQUESTS=many', 'complains on stderr'],
  ['BUN_DESTRUCT_VM_ON_EXIT=1', 'ends slowly'],
  ['BUN_OF_A_LATER_VERSION=1', 'does what nobody knows'],
  ['MIMALLOC_VERBOSE=1', 'tells of its memory on stderr'],
  ['mimalloc_arena_reserve=1', 'reserves memory'],
  ['NODE_DEBUG=*', 'traces on stderr'],
  ['NODE_EXTRA_CA_CERTS=@/none', 'trusts more'],
  ['NODE_PATH=@', 'loads code'],
  ['NODE_TLS_REJECT_UNAUTHORIZED=0', 'trusts everybody'],
  ['NODE_USE_SYSTEM_CA=1', 'trusts more'],
  ['WTF_numberOfProcessorCores=many', 'complains on stderr'],
]

const env = { CNI_COMMAND: 'ADD', LANG: 'C', EMPTY: '', LONG: 'x'.repeat(100_000), CNI_ARGS: 'A=1;B=ü\n' }
const input = 'x'.repeat(1_000_000)

/** Prints the facts that are equal for every process of a program, and its exit. */
async function probe(executable: string, cwd: string, more: Record<string, string> = {}) {
  const started = start([executable, 'a', '', 'ü'], { cwd, env: { ...env, ...more }, input, timeout: 20_000 })
  const { exitCode, stdout, stderr } = await started.done.catch((error) => error)
  const { pid, parent, ...found } = JSON.parse(stdout)
  expect([pid, parent]).toEqual([started.pid, process.pid])
  return { exitCode, found, stderr }
}

describe('an executable with bun in it', () => {
  const sh = (script: string, ...args: string[]) =>
    run(['sh', '-c', script, executable, ...args], { env, input, reject: false, timeout: 20_000 })
  const newFolder = () => {
    const cwd = mkdtempSync(join(folder, 'cwd-'))
    // Folder for files that the runtime writes before our first line. No code can prevent them.
    mkdirSync(join(cwd, 'before'))
    return cwd
  }
  /** Variable without any effect. */
  const variable = 'BUN_X=1'

  // bun's debugger starts a thread. In about one of 150 starts this thread ends the process before the restart.
  // No code of ours can prevent that.
  const rows = VARIABLES.map(([text, effect]) => ({ text, effect, retry: /INSPECT/.test(text) ? 2 : 0 }))
  for (const { text, effect, retry } of rows)
    it(`with ${text}, by which it ${effect}, runs as without it`, { retry }, async () => {
      const cwd = newFolder()
      const [name = '', value = ''] = text.replace('@', cwd).split(/=(.*)/s)
      const without = await probe(executable, cwd)
      expect(without).toMatchObject({ exitCode: 7, stderr: '', found: { stdin: 1_000_000, sockets: 0 } })
      const { exitCode, found } = await probe(executable, cwd, { [name]: value })
      expect({ exitCode, found }).toEqual({ exitCode: 7, found: { ...without.found, cwd } })
      const written = readdirSync(cwd, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
      expect(written.map(({ name }) => name)).toEqual([])
    })

  it('prints nothing about it', async () => {
    const [name = '', value = ''] = variable.split('=')
    expect((await probe(executable, newFolder(), { [name]: value })).stderr).toBe('')
  })

  it('keeps its process id, its name, argv[0] and ignored signals', async () => {
    const of = async (script: string) => JSON.parse((await sh(`trap '' HUP USR2; ${script}`)).stdout)
    const [without, found] = [await of('exec "$0"'), await of(`export ${variable}; exec "$0"`)]
    expect({ ...found, pid: 0 }).toEqual({ ...without, pid: 0 })
    expect(found.comm).toBe('probe\n')
    const { stdout } = await run(['bash', '-c', `echo $$; export ${variable}; exec -a role "$0"`, executable], {
      reject: false,
    })
    const [pid, document = ''] = stdout.split('\n')
    expect(JSON.parse(document)).toMatchObject({ pid: Number(pid), argv0: 'role', commandLine: 'role\0' })
  })

  it('passes on arguments and variables that are not UTF-8', async () => {
    const { stdout } = await sh(`export BYTES=$(printf '\\376') ${variable}; exec "$0" "$(printf '\\377')" ''`)
    const { commandLine, child } = JSON.parse(stdout)
    expect(commandLine).toBe(`${executable}\0\xff\0\0`)
    expect(child).toContain(`BYTES=\ufffd`)
  })

  it('runs the same program if its file is removed or replaced', async () => {
    const copy = join(folder, 'bun', 'copy')
    for (const change of ['rm "$1"', 'mv "$1" "$1.old"; echo "#!/bin/false" > "$1"; chmod 755 "$1"']) {
      copyFileSync(executable, copy)
      chmodSync(copy, 0o755)
      const { exitCode, stdout } = await sh(`exec 3< "$1"; ${change}; export ${variable}; exec /proc/self/fd/3`, copy)
      expect({ exitCode, ...JSON.parse(stdout) }).toMatchObject({ exitCode: 7, stdin: 1_000_000 })
    }
  })

  it('starts anew once: if the variable returns, it continues with a warning', async () => {
    const { exitCode, stdout, stderr } = await sh(`export CNI_BUILD_STARTED_ANEW=$$ ${variable}; exec "$0"`)
    const { env: found, child, ...rest } = JSON.parse(stdout)
    const [name = '', value] = variable.split('=')
    expect({ exitCode, ...rest }).toMatchObject({ exitCode: 7, stdin: 1_000_000 })
    expect(found).toMatchObject({ [name]: value })
    expect([...Object.keys(found), child.join()].join()).not.toContain('CNI_BUILD_STARTED_ANEW')
    expect(stderr).toBe(
      `probe: ${name} in force, as it cannot start anew without: they are set again after a restart\n`,
    )
  })

  it('ignores and hides the mark of another process', async () => {
    const cwd = newFolder()
    const [name = '', value = ''] = variable.split('=')
    const without = await probe(executable, cwd)
    for (const more of [{ CNI_BUILD_STARTED_ANEW: '1', [name]: value }, { CNI_BUILD_STARTED_ANEW: '1' }]) {
      expect((await probe(executable, cwd, more)).found).toEqual(without.found)
    }
  })

  it('continues with a message if /proc does not show its environment', async () => {
    const script = `echo $$; mount --bind /dev/null /proc/$$/environ && export ${variable} && exec "$0"`
    const { exitCode, stdout, stderr } = await run(
      ['unshare', '--mount', '--propagation=private', 'sh', '-c', script, executable],
      { env, input, reject: false, timeout: 20_000 },
    )
    const name = variable.split('=')[0]
    expect(exitCode).toBe(7)
    expect(JSON.parse(stdout.split('\n')[1] ?? '')).toMatchObject({ stdin: 1_000_000 })
    expect(stderr).toBe(
      `probe: ${name} in force, as it cannot start anew without: /proc/self/environ does not list them\n`,
    )
  })
})

it('a deleted working directory ends it before our code, as the guide says', async () => {
  const gone = mkdtempSync(join(folder, 'gone-'))
  const script = 'cd "$1" && rmdir "$1" && exec "$0"'
  const result = await run(['sh', '-c', script, executable, gone], { env: {}, reject: false })
  const stderr = expect.stringContaining('The current working directory was deleted')
  expect(result).toMatchObject({ exitCode: 1, stdout: '', stderr })
})

it('a command line that is not UTF-8 stays unchanged without FFI', async () => {
  const { exitCode, stdout, stderr } = await run(
    ['sh', '-c', `export BUN_JSC_useJIT=0; exec "$0" "$(printf '\\377')"`, executable],
    { env: {}, reject: false },
  )
  expect({ exitCode, ...JSON.parse(stdout) }).toMatchObject({ exitCode: 7, arguments: ['\ufffd'] })
  expect(stderr).toMatch(/^probe: BUN_JSC_useJIT in force, as it cannot start anew without: .*utf-8/)
})

describe('the prelude of an executable', () => {
  it('keeps sloppy sources sloppy and strict sources strict', async () => {
    const answers = async (name: string, source: string) => {
      const [file, outfile] = [join(folder, name), join(folder, 'mode', name.replace('.', '-'))]
      writeFileSync(file, source)
      await buildExecutable({ entry: file, outfile, smoke: false })
      return (await run([outfile], { env: {} })).stdout
    }
    const ask = 'console.log((function () { return this === undefined })())'
    expect(await answers('sloppy.cjs', `undeclared = 1\n${ask}`)).toBe('false\n')
    expect(await answers('strict.cjs', `#!/usr/bin/env node\n'use strict'\n${ask}`)).toBe('true\n')
  })

  it('is the same from a compiled cni-build', async () => {
    const cli = join(folder, 'cli', 'cni-build')
    const source = join(import.meta.dirname, '../../src/cli.ts')
    await buildExecutable({ entry: source, outfile: cli, conditions: ['@cni/source'], runtime: 'bun', smoke: false })
    const outfile = join(folder, 'by-cli', 'probe')
    const cwd = join(import.meta.dirname, '../..')
    await run([cli, entry, '-o', outfile, '--runtime=bun', '--smoke=none'], { cwd, env: {} })
    const { exitCode } = await run(['cmp', outfile, executable], { reject: false })
    expect(exitCode).toBe(0)
  })
})
