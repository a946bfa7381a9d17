/** Plugins as whole processes on each runtime, beside a Go plugin of Debian's. */
import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { buildExecutable } from '@cni/build'
import { run } from '@cni/host'
import { loadSys } from '@cni/netns/sys'
import { tempNetns } from '@cni/netns/testing'
import { root } from './lib/compiled.ts'
import type { Contender } from './lib/contender.ts'
import { freshCopy, scratchFile } from './lib/scratch.ts'
import { SuiteReport, settings } from './lib/suite.ts'

type Verb = 'ADD' | 'CHECK' | 'DEL'
interface Plugin {
  readonly name: string
  readonly argv: readonly [string, ...string[]]
  readonly conf: { readonly type: string }
  readonly reference?: boolean
}

const used = settings({ runs: 20 })
const suite = new SuiteReport('Plugins as whole processes on each runtime', used)

const redirect = { type: 'hello-chain', port: 15_001 }
const plugins: readonly Plugin[] = [
  // Its ADD reads the configuration and the result, and changes nothing.
  { name: 'Go, tuning', argv: [freshCopy('/usr/lib/cni/tuning')], conf: { type: 'tuning' }, reference: true },
  { name: 'noop, small', argv: [await built('bench/noop.ts', 'small')], conf: { type: 'noop' } },
  { name: 'hello-chain, small', argv: [await built('examples/hello-chain/src/main.ts', 'small')], conf: redirect },
  { name: 'hello-chain, bun', argv: [await built('examples/hello-chain/src/main.ts', 'bun')], conf: redirect },
  {
    name: 'hello-chain, Node',
    argv: [process.execPath, join(root, 'dist/bundle/hello-chain.cjs')],
    conf: redirect,
  },
]

// Records of attachments are on a tmpfs, as on a node; only this process sees the one we mount.
mkdirSync('/run/cni', { recursive: true })
loadSys().mount('tmpfs', '/run/cni', 'tmpfs', 0, 'mode=0755')
try {
  await suite.race('VERSION', plugins.map(version), used.runs)
  const raced = (verb: Verb, which: readonly Plugin[]) =>
    suite.race(
      verb,
      which.map((plugin) => called(plugin, verb)),
      used.runs,
    )
  await raced('ADD', plugins)
  // There is no eth0, which tuning looks for.
  const ours = plugins.filter(({ reference }) => reference !== true)
  await raced('CHECK', ours)
  await raced('DEL', ours)
  suite.write()
} finally {
  loadSys().umount2('/run/cni', 2)
}

async function built(entry: string, runtime: 'small' | 'bun'): Promise<string> {
  const { outfile } = await buildExecutable({
    entry: join(root, entry),
    outfile: scratchFile(),
    conditions: ['@cni/source'],
    runtime,
    smoke: false,
  })
  return freshCopy(outfile)
}

function version({ name, argv, reference = false }: Plugin): Contender {
  return { name, reference, prepare: async () => ({ argv, env: { CNI_COMMAND: 'VERSION' } }) }
}

/** A call in a namespace of its own; CHECK and DEL come after an ADD. */
function called(plugin: Plugin, verb: Verb): Contender {
  const { name, argv, conf, reference = false } = plugin
  return {
    name,
    reference,
    async prepare() {
      const place = await tempNetns()
      const prevResult = {
        cniVersion: '1.0.0',
        interfaces: [{ name: 'eth0', sandbox: place.path }],
        ips: [{ interface: 0, address: '10.222.0.9/24' }],
      }
      const stdin = JSON.stringify({ cniVersion: '1.0.0', name: 'bench', ...conf, prevResult })
      const environment = {
        PATH: '/usr/sbin:/usr/bin:/sbin:/bin',
        CNI_CONTAINERID: 'bench',
        CNI_IFNAME: 'eth0',
        CNI_NETNS: place.path,
        CNI_PATH: '/usr/lib/cni',
      }
      if (verb !== 'ADD') await run(argv, { env: { ...environment, CNI_COMMAND: 'ADD' }, input: stdin })
      return {
        argv,
        stdin,
        env: { ...environment, CNI_COMMAND: verb },
        async cleanUp() {
          await place[Symbol.asyncDispose]()
          // DEL reads the records of all attachments: each call finds its own alone.
          rmSync(`/run/cni/${conf.type}`, { recursive: true, force: true })
        },
      }
    },
  }
}
