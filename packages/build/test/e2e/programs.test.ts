import { copyFileSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { bundle } from '@cni/build'
import { run } from '@cni/host'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { buildExecutable } from '../with-bun.ts'

const folder = mkdtempSync(join(tmpdir(), 'cni-programs-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const write = (name: string, text: string) => {
  writeFileSync(join(folder, name), text)
  return join(folder, name)
}
const said = async (...argv: [string, ...string[]]) => (await run(argv, { env: {} })).stdout

const entry = write('plugin.ts', `process.stdout.write(JSON.stringify({ supportedVersions: ['1.0.0'] }))\n`)
const programs = {
  // Names of its own at the top level, which the plugin may have, too.
  agent: write(
    'agent.ts',
    `import { hostname } from 'node:os'\nconst entry = typeof hostname\nconsole.log('agent', entry)`,
  ),
  // Sloppy, though the others are strict.
  old: write('old.cjs', `#!/usr/bin/env node\nundeclared = 1\nconsole.log('old', undeclared) // no newline behind`),
}
const plugin = '{"supportedVersions":["1.0.0"]}'

describe.each(['bun', 'node'] as const)('an executable of several programs, with %s', (runtime) => {
  const outfile = join(folder, runtime, 'plugin')
  const path = (name: string) => join(folder, runtime, name)
  beforeAll(async () => {
    await buildExecutable({ entry, outfile, programs, runtime, bundleFile: path('plugin.cjs') })
  })

  it('is one file that is the program whose name it is called by', async () => {
    expect(new Set(['plugin', 'agent', 'old'].map((name) => statSync(path(name)).ino)).size).toBe(1)
    expect(await said(outfile)).toBe(plugin)
    expect(await said(path('agent'))).toBe('agent function\n')
    expect(await said(path('old'))).toBe('old 1\n')
  })

  it('is its entry by any other name, and does without the file it is a copy of', async () => {
    copyFileSync(outfile, path('renamed'))
    expect(await said(path('renamed'), 'agent')).toBe(plugin)
    copyFileSync(outfile, path('copy'))
    rmSync(path('agent'))
    copyFileSync(path('copy'), path('agent'))
    expect(await said(path('agent'))).toBe('agent function\n')
  })

  it('its bundle for Node goes by the name of its file', async () => {
    expect(await said(process.execPath, path('plugin.cjs'))).toBe(plugin)
    copyFileSync(path('plugin.cjs'), path('agent.cjs'))
    expect(await said(process.execPath, path('agent.cjs'))).toBe('agent function\n')
  })
})

describe('an executable of several programs, with bun', () => {
  const together = join(folder, 'together', 'plugin')
  const alone = join(folder, 'alone', 'plugin')
  beforeAll(async () => {
    await buildExecutable({ entry, outfile: together, programs })
    await buildExecutable({ entry, outfile: alone })
  })

  it('starts with the bytes of its entry alone behind one look at its name: no start reads another program', () => {
    const [own = '', ...none] = modulesOf(alone)
    const [first = '', ...others] = modulesOf(together)
    expect([none.length, others.length]).toEqual([0, 2])
    expect(own).toContain('supportedVersions')
    expect([first.length > own.length, first.endsWith(own)]).toEqual([true, true])
    const look = first.slice(0, -own.length)
    expect(look).toMatch(/^switch\(process\.argv0\b[^{]*\{(case"\w+":require\("[^"]+"\);return;?){2}\}$/)
    expect(others.map((other) => /"agent"|"old"/.exec(other)?.[0])).toEqual(['"agent"', '"old"'])
  })

  it('is the same bytes twice', async () => {
    const again = join(folder, 'again', 'plugin')
    await buildExecutable({ entry, outfile: again, programs })
    expect(readFileSync(again).equals(readFileSync(together))).toBe(true)
  })

  it('is compiled anew when only another program has changed', async () => {
    const kept = { entry, outfile: join(folder, 'kept', 'plugin'), bundleFile: join(folder, 'kept', 'plugin.cjs') }
    const build = (say: string) =>
      buildExecutable({
        ...kept,
        incremental: true,
        programs: { said: write('said.ts', `console.log(${JSON.stringify(say)})`) },
      })
    expect([(await build('one')).compiled, (await build('one')).compiled]).toEqual([true, false])
    expect((await build('two')).compiled).toBe(true)
    expect(await said(join(folder, 'kept', 'said'))).toBe('two\n')
  })

  it('a program may have any name that a file may have, and the entry may be strict', async () => {
    const names = ['#h?q=1', '[name] *', 'é"\'', '--help', 'x.js']
    const outfile = join(folder, 'odd', 'x')
    const sentence = write('sentence.ts', `console.log('a sentence')`)
    const strict = write(
      'strict.cjs',
      `"use strict"\nconsole.log(JSON.stringify({ supportedVersions: [typeof (function () { return this })()] }))`,
    )
    await buildExecutable({
      entry: strict,
      outfile,
      programs: Object.fromEntries(names.map((name) => [name, sentence])),
    })
    for (const name of names) expect([name, await said(join(folder, 'odd', name))]).toEqual([name, 'a sentence\n'])
    expect(await said(outfile)).toBe('{"supportedVersions":["undefined"]}\n')
  })

  /** The texts in an executable, as bun wraps them; bun has the beginning of that wrapper itself. */
  function modulesOf(file: string): string[] {
    const [, ...parts] = readFileSync(file, 'latin1').split(
      '(function(exports, require, module, __filename, __dirname) {',
    )
    return parts.map((part) => part.slice(0, part.indexOf('\0'))).filter((part) => part.endsWith('})\n'))
  }
})

describe.each(['bun', 'node'] as const)('a build with %s', (runtime) => {
  const record = join(folder, `${runtime}.starts`)
  /** Records each of its starts, whatever its arguments are. */
  const recording = (name: string, answer: string) =>
    write(
      `${runtime}-${name}.ts`,
      `import { appendFileSync } from 'node:fs'
const start = { name: ${JSON.stringify(name)}, args: process.argv.slice(2), env: process.env }
appendFileSync(${JSON.stringify(record)}, JSON.stringify(start) + '\\n')
console.log(${JSON.stringify(answer)})`,
    )
  const startsOf = async (smoke: 'plugin' | 'command') => {
    rmSync(record, { force: true })
    const outfile = join(folder, `${runtime}-${smoke}`, 'plugin')
    const agent = recording('agent', 'agent')
    await buildExecutable({ entry: recording('entry', plugin), outfile, runtime, smoke, programs: { agent } })
    return new Set(readFileSync(record, 'utf8').trim().split('\n'))
  }

  it('starts its entry for VERSION only, with nothing else in the environment, and no other program', async () => {
    vi.stubEnv('OF_THE_BUILD_MACHINE', '1')
    onTestFinished(() => {
      vi.unstubAllEnvs()
    })
    const start = { name: 'entry', args: [], env: { CNI_COMMAND: 'VERSION' } }
    expect(await startsOf('plugin')).toEqual(new Set([JSON.stringify(start)]))
  })

  it('starts a command with --help and an empty environment, and no other program', async () => {
    expect(await startsOf('command')).toEqual(new Set([JSON.stringify({ name: 'entry', args: ['--help'], env: {} })]))
  })
})

it('a program of which the source does not parse is refused', async () => {
  const broken = write('broken.ts', 'const = 1\n')
  await expect(buildExecutable({ entry, outfile: join(folder, 'no', 'plugin'), programs: { broken } })).rejects.toThrow(
    /broken\.ts:1/,
  )
})

it('the shares of a bundle are those of all its programs', async () => {
  const { inputs } = await bundle({ entry, programs })
  const names = inputs.map(({ path }) => path.slice(path.lastIndexOf('/') + 1))
  expect(names.sort()).toEqual(['agent.ts', 'old.cjs', 'plugin.ts'])
})
