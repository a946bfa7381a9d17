import { existsSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type BuiltExecutable, buildExecutable } from '@cni/build'
import { run } from '@cni/host'
import { afterAll, describe, expect, it } from 'vitest'
import { sample, sampleTitle } from '../../../../test/deep.ts'
import { findTools } from '../../src/tools/tools.ts'

const folder = mkdtempSync(join(tmpdir(), 'cni-same-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/**
 * Small programs with tricky semantics, by the name of their file or folder. They are fixtures, neither linted nor
 * type-checked.
 */
const programs = programsIn(fileURLToPath(new URL('../programs', import.meta.url)))

const bun = findTools('bun').compiler
const node = process.execPath

const subjectOf = (name: string): string => name.slice(0, name.indexOf('.'))

it('there are programs for every subject', () => {
  const subjects = new Set([...programs.keys()].map(subjectOf))
  expect([...subjects].sort()).toEqual(
    'async classes commonjs functions iteration modules node objects packages process typescript'.split(' '),
  )
  expect(programs.size).toBeGreaterThanOrEqual(68)
})

/** Programs that use syntax or members that the small runtime lacks. The build rejects them. */
const REFUSED: Readonly<Record<string, string>> = {
  'functions.evaluated-code': 'evaluated-code.ts:2:18: the global eval',
  'functions.strict-mode': 'strict-mode.ts:5:52: the global eval',
  'node.subclasses-of-builtins': 'subclasses-of-builtins.ts:1: the module "node:async_hooks"',
  'objects.weak-and-symbols': 'weak-and-symbols.ts:10:115: SyntaxError: invalid regular expression flags',
  'packages.prom-client': 'pushgateway.js:6: the module "zlib"',
}

/** Programs with other results on the small runtime, each for a reason in the guide. */
const DIFFERENT = new Set([
  // There is no parser at run time.
  'functions.names-and-lengths',
  'packages.ajv',
  // All code is strict.
  'functions.arguments-in-sloppy-code',
  // No file lies beside an executable: no __filename, no require.main, and a computed require() finds nothing.
  'commonjs.requires-es-module',
  'commonjs.this-and-wrapper',
  // The array of a template is sealed instead of frozen.
  'functions.tagged-templates',
  // Functions have no source text.
  'typescript.text-of-a-class',
  // The runtime follows Node 24. Its modules have other members, and its functions other lengths.
  'node.names-and-lengths',
  'process.versions',
  // Known gaps: fewer members of node:fs, isTTY of pipes, and a stream that keeps the loop alive.
  'node.files',
  'process.standard-streams',
])

describe.each<BuiltExecutable['runtime']>(['small', 'bun'])(`built with %s, ${sampleTitle}`, (runtime) => {
  const cases = [...programs].filter(
    ([name]) => runtime === 'bun' || (REFUSED[name] === undefined && !DIFFERENT.has(name)),
  )
  const built = join(folder, runtime)
  // Node strips types and does not support enums.
  const notBuilt = (name: string, entry: string): [string, ...string[]] =>
    runtime === 'bun' || subjectOf(name) === 'typescript' ? [bun, 'run', entry] : [node, '--no-warnings', entry]

  it.concurrent.each(sample(cases, ([name]) => subjectOf(name)))(
    '%s prints the same as from source',
    async (name, entry) => {
      const source = await outcome(notBuilt(name, entry))
      expect(source.stdout).not.toBe('')
      const outfile = join(built, name)
      await buildExecutable({ entry, outfile, runtime, snapshot: false, smoke: false })
      expect(await outcome([outfile])).toEqual(source)
      rmSync(outfile)
    },
  )
})

it.each(Object.entries(REFUSED))('%s is rejected with the small runtime: %s', async (name, sentence) => {
  const options = { entry: programs.get(name) ?? '', outfile: join(folder, 'refused', name), snapshot: false }
  await expect(buildExecutable(options)).rejects.toThrow(sentence)
})

describe('an executable of its own', () => {
  it.each(['classes.names', 'process.environment', 'commonjs.this-and-wrapper', 'packages.rxjs'])(
    '%s prints the same as from source',
    async (name) => {
      const entry = programs.get(name) ?? ''
      const outfile = join(folder, 'own', name)
      await buildExecutable({ entry, outfile, runtime: 'bun', smoke: false })
      expect(await outcome([outfile])).toEqual(await outcome([bun, 'run', entry]))
    },
  )
})

/** Output and exit of a program. */
async function outcome([program, ...args]: readonly [string, ...string[]]) {
  const { stdout, exitCode, signal } = await run([program, ...args, 'an argument', ''], {
    cwd: '/',
    env: { NODE_ENV: 'testing', OF_THE_TEST: '1' },
    input: 'input\n',
    reject: false,
    timeout: 20_000,
  })
  return { stdout, exitCode, signal }
}

/** Programs by name: `subject/name.ts`, or `subject/name/main.*` for several files. */
function programsIn(root: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>()
  const folders = readdirSync(root, { withFileTypes: true }).filter((entry) => entry.isDirectory())
  for (const { name: subject } of folders) {
    for (const file of readdirSync(join(root, subject))) {
      const path = join(root, subject, file)
      const mains = ['main.ts', 'main.cjs'].map((main) => join(path, main))
      const entry = statSync(path).isDirectory() ? mains.find((main) => existsSync(main)) : path
      if (entry !== undefined) found.set(`${subject}.${file.replace(/\.ts$/, '')}`, entry)
    }
  }
  return found
}
