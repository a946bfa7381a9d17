/** What a start costs: compiled files that each do one thing more than the bare runtime. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { cpus, release } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { buildExecutable } from '@cni/build'
import { race, type Timing } from './measure.ts'

const root = fileURLToPath(new URL('..', import.meta.url))

const { values } = parseArgs({ options: { runs: { type: 'string', default: '20' }, pods: { type: 'string' } } })
const runs = Number(values.runs)
if (!Number.isInteger(runs) || runs < 1)
  throw new RangeError(`--runs: expected a positive integer, got "${values.runs}"`)

const steps: readonly (readonly [name: string, source: string])[] = [
  ['bare runtime', ''],
  ['a file read (node:fs)', `import { readFileSync } from 'node:fs'\nreadFileSync('/proc/self/stat')`],
  [
    'a plugin without schema, VERSION',
    `import { definePlugin, pluginMain } from '@cni/skel'\npluginMain(definePlugin({ name: 'p', add: () => ({}) }))`,
  ],
  [
    'a schema of two members (zod/mini)',
    `import * as z from 'zod/mini'\nz.object({ port: z.int(), name: z.optional(z.string()) }).parse({ port: 1 })`,
  ],
  ['system calls (bun:ffi)', `import { loadSys } from '@cni/netns/sys'\nloadSys()`],
  ['a program run by @cni/host', `import { run } from '@cni/host'\nvoid run(['/bin/true'])`],
  [
    'the same by node:child_process',
    `import { spawn } from 'node:child_process'\nspawn('/bin/true', { stdio: 'pipe' })`,
  ],
  [
    'a digest (node:crypto)',
    `import { createHash } from 'node:crypto'\ncreateHash('sha256').update('a').digest('hex')`,
  ],
  ['node:https loaded', `import { request } from 'node:https'\nif (process.argv[2]) request(process.argv[2])`],
]

mkdirSync(join(root, 'dist/bench'), { recursive: true })
// Beside our own node_modules, for the entries to find the packages.
const folder = mkdtempSync(join(root, 'dist/bench/startup-'))
try {
  const contenders = []
  for (const [index, [name, source]] of steps.entries()) {
    const entry = join(folder, `start-${index}.ts`)
    writeFileSync(entry, `${source}\n`)
    const options = {
      entry,
      outfile: join(folder, `start-${index}`),
      conditions: ['@cni/source'],
      smoke: false,
    } as const
    const { outfile } = await buildExecutable(options)
    contenders.push({
      name,
      prepare: async () => ({ argv: [outfile] as const, env: { CNI_COMMAND: 'VERSION' } }),
    })
  }
  const startup = await race(contenders, runs)
  const report = { machine: `${cpus().length} × ${cpus()[0]?.model ?? '?'}, Linux ${release()}`, runs, startup }
  const text = markdown(report.machine, startup)
  mkdirSync(join(root, 'bench/report'), { recursive: true })
  writeFileSync(join(root, 'bench/report/startup.json'), `${JSON.stringify(report, null, 2)}\n`)
  writeFileSync(join(root, 'bench/report/startup.md'), text)
  console.log(text)
} finally {
  rmSync(folder, { recursive: true, force: true })
}

function markdown(machine: string, timings: readonly Timing[]): string {
  const bare = timings[0]?.medianMs ?? Number.NaN
  const rows = timings.map(({ name, medianMs, minMs, maxMs }) => {
    const cells = [medianMs, minMs, maxMs, medianMs - bare].map((value) => value.toFixed(1))
    return `| ${[name, ...cells].join(' | ')} |`
  })
  return [
    `Whole processes in turn, milliseconds, ${runs} runs each after one to warm up.`,
    machine,
    '',
    '| a compiled file with | median | min | max | over the bare runtime |',
    '|---|---|---|---|---|',
    ...rows,
    '',
  ].join('\n')
}
