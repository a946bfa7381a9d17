/** What a start costs: compiled files that each do one thing more than the bare runtime. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { buildExecutable } from '@cni/build'
import { compiled, root } from './lib/compiled.ts'
import type { Contender } from './lib/contender.ts'
import { freshCopy, scratchFile } from './lib/scratch.ts'
import { SuiteReport, settings } from './lib/suite.ts'

const used = settings({ runs: 20 })
const suite = new SuiteReport('Compiled files that do one thing more than the bare runtime', used)

const steps: readonly (readonly [name: string, source: string])[] = [
  ['a file read', `import { readFileSync } from 'node:fs'\nreadFileSync('/proc/self/stat')`],
  ['the same by node:fs itself', `process.getBuiltinModule('node:fs').readFileSync('/proc/self/stat')`],
  [
    'a plugin without schema, VERSION',
    `import { definePlugin, pluginMain } from '@cni/skel'\npluginMain(definePlugin({ name: 'p', add: () => ({}) }))`,
  ],
  [
    'a schema of two members (zod/mini)',
    `import * as z from 'zod/mini'\nz.object({ port: z.int(), name: z.optional(z.string()) }).parse({ port: 1 })`,
  ],
  ['system calls', `import { loadSys } from '@cni/netns/sys'\nloadSys()`],
  ['a program run by @cni/host', `import { run } from '@cni/host'\nvoid run(['/bin/true'])`],
  [
    'the same by node:child_process',
    `import { spawn } from 'node:child_process'\nspawn('/bin/true', { stdio: 'pipe' })`,
  ],
  ["a digest by the runtime's own hasher", `new Bun.CryptoHasher('sha256').update('a').digest('hex')`],
  [
    'the same by node:crypto',
    `import { createHash } from 'node:crypto'\ncreateHash('sha256').update('a').digest('hex')`,
  ],
  ['node:https loaded', `import { globalAgent } from 'node:https'\nglobalAgent.destroy()`],
]

const contenders: Contender[] = [{ ...start('bare runtime', freshCopy(await compiled('bare'))), reference: true }]
for (const [name, source] of steps) {
  const entry = scratchFile('.ts')
  writeFileSync(entry, `${source}\n`)
  const { outfile } = await buildExecutable({
    entry,
    outfile: scratchFile(),
    conditions: ['@cni/source'],
    runtime: 'bun',
    smoke: false,
  })
  contenders.push(start(name, outfile))
}
contenders.push(start('istio-cni, VERSION', freshCopy(join(root, 'dist/bin/istio-cni'))))
await suite.race('start', contenders, used.runs)
suite.write()

function start(name: string, file: string): Contender {
  return { name, prepare: async () => ({ argv: [file], env: { CNI_COMMAND: 'VERSION' } }) }
}
