/** Compares plugins on each JavaScript runtime, as whole processes, with a Go plugin of Debian. */
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { buildExecutable } from '@cni/build'
import { called, HELLO_CONF, type Plugin, type Verb } from './lib/calls/example-calls.ts'
import { root } from './lib/compiled.ts'
import { version } from './lib/race/contender.ts'
import { SuiteReport, settings } from './lib/race/suite.ts'
import { freshCopy, scratchFile } from './lib/scratch.ts'
import { tmpfs } from './lib/tmpfs.ts'

const used = settings({ runs: 20 })
const suite = new SuiteReport('Plugins as whole processes on each runtime', used)

const HELLO = 'examples/hello-chain/src/main.ts'
const buildTimes: number[] = []

const policy = { type: 'pod-firewall', deny: ['tcp 22'], allow: ['tcp 80', 'tcp 8000-8080 from 10.0.0.0/8', 'icmp'] }
const ranges = [[{ subnet: '10.78.0.0/24' }], [{ subnet: 'fd78::/64' }]]
const routes = [{ dst: '0.0.0.0/0' }, { dst: '::/0' }]
const cable = { type: 'ptp-routed', ipam: { type: 'host-local', dataDir: scratchFile(), ranges, routes } }

const plugins: readonly Plugin[] = [
  // An ADD of the measured plugin reads the configuration and the previous result, and changes nothing.
  { name: 'Go, tuning', argv: [freshCopy('/usr/lib/cni/tuning')], conf: { type: 'tuning' }, reference: true },
  { name: 'noop, small', argv: [await built('bench/noop.ts', 'small')], conf: { type: 'noop' } },
  { name: 'hello-chain, small', argv: [await built(HELLO, 'small')], conf: HELLO_CONF },
  { name: 'firewall, small', argv: [await built('examples/firewall/src/main.ts', 'small')], conf: policy },
  {
    name: 'ptp-routed, small',
    argv: [await built('examples/ptp-routed/src/main.ts', 'small')],
    conf: cable,
    isFirst: true,
  },
  { name: 'hello-chain, bun', argv: [await built(HELLO, 'bun')], conf: HELLO_CONF },
  { name: 'hello-chain, Node', argv: [process.execPath, join(root, 'dist/bundle/hello-chain.cjs')], conf: HELLO_CONF },
]

using _ = tmpfs('/run/cni')
await suite.race('VERSION', plugins.map(version), used.runs)
await raced('ADD', plugins)
// Does not measure CHECK and DEL of Debian's plugin `tuning`, because the benchmark's namespace has no eth0.
const ours = plugins.filter(({ reference }) => reference !== true)
await raced('CHECK', ours)
await raced('DEL', ours)
suite.add('the file', 'MB', sizes())
suite.add('cni-build', 'ms', [{ name: 'small', samples: buildTimes }])
suite.write()

async function built(entry: string, runtime: 'small' | 'bun'): Promise<string> {
  const begun = performance.now()
  const { outfile } = await buildExecutable({
    entry: join(root, entry),
    outfile: scratchFile(),
    conditions: ['@cni/source'],
    runtime,
    smoke: false,
  })
  if (runtime === 'small') buildTimes.push(performance.now() - begun)
  return freshCopy(outfile)
}

function sizes() {
  return plugins
    .filter(({ argv }) => argv[0] !== process.execPath)
    .map(({ name, argv, reference = false }) => ({ name, reference, samples: [statSync(argv[0]).size / 1e6] }))
}

function raced(verb: Verb, which: readonly Plugin[]): Promise<void> {
  return suite.race(
    verb,
    which.map((plugin) => called(plugin, verb)),
    used.runs,
  )
}
