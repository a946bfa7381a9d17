/** Compares our runtime library and cnitool with the original cnitool. */
import { mkdtempDisposableSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createChain, DEBIAN, library, parts } from './lib/calls/chain.ts'
import { cnitool, idle, type SmallPlugin, single, version } from './lib/calls/chain-programs.ts'
import { bareRuntime, originals } from './lib/calls/references.ts'
import { compiled, root } from './lib/compiled.ts'
import type { Contender, Program } from './lib/race/contender.ts'
import { SuiteReport, settings } from './lib/race/suite.ts'
import { freshCopy } from './lib/scratch.ts'
import { tmpfs } from './lib/tmpfs.ts'

const used = settings({ runs: 20 })
// Chains run half as often as single plugins: a chain takes much longer, and its times vary less.
const chainRuns = Math.max(Math.min(used.runs, 5), Math.ceil(used.runs / 2))
const suite = new SuiteReport(
  `Whole processes but for our library; bridge, tuning and hello-chain as the chain of three, ${chainRuns} runs`,
  used,
)

const tools: Program[] = [{ name: 'ours', argv: [freshCopy(join(root, 'dist/bin/cnitool'))] }, ...originals('cnitool')]
const bare = await bareRuntime()
const plugins: SmallPlugin[] = [
  { name: 'ours (no-op)', argv: [freshCopy(await compiled('noop'))] },
  { name: 'loopback', argv: [freshCopy(`${DEBIAN}/loopback`)], reference: true, chained: false },
  { name: 'tuning', argv: [freshCopy(`${DEBIAN}/tuning`)], reference: true },
]

using folder = mkdtempDisposableSync(join(tmpdir(), 'cni-bench-'))
// Mounts a private tmpfs, because the original cnitool's cache folder cannot be changed.
using _ = tmpfs('/var/lib/cni')
const chain = createChain(folder.path)
const beside = (programs: readonly Program[], contender: (program: Program) => Contender): Contender[] => [
  ...programs.map(contender),
  bare,
]
await suite.race('chain of three, ADD', [library(chain, 'ADD'), parts(chain, 'ADD')], chainRuns)
await suite.race('chain of three, DEL', [library(chain, 'DEL'), parts(chain, 'DEL')], chainRuns)
for (const verb of ['add', 'del'] as const) {
  const contenders = beside(tools, (tool) => cnitool(chain, tool, verb))
  await suite.race(`cnitool ${verb}, chain of three`, contenders, chainRuns)
}
await suite.race(
  'cnitool status, nothing to execute',
  beside(tools, (tool) => idle(chain, tool)),
  used.runs,
)
await suite.race('VERSION', beside(plugins, version), used.runs)
await suite.race('ADD of one plugin', beside(plugins, single), used.runs)
suite.write()
