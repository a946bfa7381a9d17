/** Chains through our runtime library, our cnitool beside the original, and a no-op plugin beside Debian's. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { cpus, release, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { buildExecutable } from '@cni/build'
import { run } from '@cni/host'
import { type Attachment, cni, encodeConf, parseNetworkList, planNetwork } from '@cni/libcni'
import { type Netns, netns } from '@cni/netns'
import { loadSys } from '@cni/netns/sys'
import { tempNetns } from '@cni/netns/testing'
import { type Contender, race, type Timing } from './measure.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const DEBIAN = '/usr/lib/cni'
const PATH = '/usr/sbin:/usr/bin:/sbin:/bin'
const path = [join(root, 'dist/bin'), DEBIAN]

const { values } = parseArgs({ options: { runs: { type: 'string', default: '20' }, pods: { type: 'string' } } })
const runs = Number(values.runs)
if (!Number.isInteger(runs) || runs < 1)
  throw new RangeError(`--runs: expected a positive integer, got "${values.runs}"`)
// A chain takes ten times as long as a plugin, and differs less from run to run.
const chainRuns = Math.ceil(runs / 2)

const folder = mkdtempSync(join(tmpdir(), 'cni-bench-'))
const text = JSON.stringify({
  cniVersion: '1.0.0',
  name: 'bench',
  plugins: [
    {
      type: 'bridge',
      bridge: 'bench0',
      isGateway: true,
      ipam: { type: 'host-local', dataDir: `${folder}/leases`, subnet: '10.223.0.0/16' },
    },
    { type: 'tuning', sysctl: { 'net.ipv4.conf.all.log_martians': '1' } },
    { type: 'hello-chain', port: 15001 },
  ],
})
const list = parseNetworkList(text)
mkdirSync(`${folder}/net.d`)
writeFileSync(`${folder}/net.d/bench.conflist`, text)

const runtime = cni({ path, env: { PATH } })
const toolEnv = { PATH, NETCONFPATH: `${folder}/net.d`, CNI_PATH: path.join(':') }
let pods = 0

// The original's cache has no option; only this process and its children see the one we mount.
mkdirSync('/var/lib/cni', { recursive: true })
loadSys().mount('tmpfs', '/var/lib/cni', 'tmpfs', 0, 'mode=0755')
try {
  const original = join(process.env.CNI_PEERS ?? '', 'cnitool')
  const tools = [
    { name: 'ours', file: join(root, 'dist/bin/cnitool') },
    ...(process.env.CNI_PEERS && existsSync(original) ? [{ name: 'original', file: original }] : []),
  ]
  const [bare, noop] = [await compiled('bare', emptyEntry()), await compiled('noop', join(root, 'bench/noop.ts'))]
  const plugins = [
    { name: 'ours (no-op)', file: noop, conf: { prevResult: true } },
    { name: 'loopback', file: `${DEBIAN}/loopback`, conf: {} },
    { name: 'tuning', file: `${DEBIAN}/tuning`, conf: { prevResult: true } },
  ]
  const report = {
    machine: `${cpus().length} × ${cpus()[0]?.model ?? '?'}, Linux ${release()}`,
    runs,
    chainRuns,
    'chain of three, ADD': await race([library('ADD'), parts('ADD')], chainRuns),
    'chain of three, DEL': await race([library('DEL'), parts('DEL')], chainRuns),
    'cnitool add, chain of three': await race(
      tools.map((tool) => cnitool(tool, 'add')),
      chainRuns,
    ),
    'cnitool del, chain of three': await race(
      tools.map((tool) => cnitool(tool, 'del')),
      chainRuns,
    ),
    'cnitool status, nothing to execute': await race(tools.map(idle), runs),
    VERSION: await race([version('bare runtime', bare), ...plugins.map(({ name, file }) => version(name, file))], runs),
    'ADD of one plugin': await race(
      plugins.map((plugin) => single(plugin)),
      runs,
    ),
  }
  const page = markdown(report)
  mkdirSync(join(root, 'bench/report'), { recursive: true })
  writeFileSync(join(root, 'bench/report/libcni.json'), `${JSON.stringify(report, null, 2)}\n`)
  writeFileSync(join(root, 'bench/report/libcni.md'), page)
  process.stdout.write(`${page}\n`)
  if (tools.length === 1)
    process.stdout.write('The original was not raced: CNI_PEERS does not name a folder with `cnitool`.\n')
} finally {
  loadSys().umount2('/var/lib/cni', 2)
  rmSync(folder, { recursive: true, force: true })
}

function emptyEntry(): string {
  const entry = join(folder, 'bare.ts')
  writeFileSync(entry, '')
  return entry
}

/** Kept beside the other executables: compiling takes longer than measuring. */
async function compiled(name: string, entry: string): Promise<string> {
  const outfile = join(root, 'dist/bench', name)
  const bundleFile = join(root, 'dist/bench', `${name}.cjs`)
  const options = { entry, outfile, bundleFile, conditions: ['@cni/source'], smoke: false, incremental: true } as const
  return (await buildExecutable(options)).outfile
}

interface Pod {
  place: Netns & AsyncDisposable
  rt: Attachment
}

async function pod(): Promise<Pod> {
  const place = await tempNetns()
  return { place, rt: { containerID: `bench${++pods}`, netns: place.path, ifName: 'eth0' } }
}

async function detach({ place, rt }: Pod): Promise<void> {
  await runtime.del(list, rt)
  await place[Symbol.asyncDispose]()
}

/** Our library, in this process. */
function library(verb: 'ADD' | 'DEL'): Contender {
  return {
    name: 'ours',
    async prepare() {
      const one = await pod()
      if (verb === 'DEL') await runtime.add(list, one.rt)
      return {
        async run() {
          if (verb === 'ADD') await runtime.add(list, one.rt)
          else await runtime.del(list, one.rt)
        },
        cleanUp: () => detach(one),
      }
    },
  }
}

/** The same three executions one after another, with nothing around them: no cache, no checks, no process groups. */
function parts(verb: 'ADD' | 'DEL'): Contender {
  return {
    name: 'sum of its parts',
    async prepare() {
      const one = await pod()
      const prevResult = verb === 'DEL' ? (await runtime.add(list, one.rt)).document : undefined
      const request =
        verb === 'ADD' ? { command: verb, rt: one.rt, path } : { command: verb, rt: one.rt, path, prevResult }
      const steps = planNetwork(list.conflist, request).calls.map(({ type, env, conf }) => ({
        file: path.map((dir) => join(dir, type)).find((file) => existsSync(file)) ?? type,
        env: { ...env, PATH },
        conf,
      }))
      return {
        async run() {
          let stdout = ''
          for (const { file, env, conf } of steps) {
            const stdin = stdout === '' ? conf : { ...conf, prevResult: JSON.parse(stdout) }
            stdout = await bareRun(file, env, encodeConf(stdin))
          }
        },
        cleanUp: () => detach(one),
      }
    },
  }
}

async function bareRun(file: string, env: Record<string, string>, stdin: string): Promise<string> {
  const child = spawn(file, [], { env, cwd: '/', stdio: ['pipe', 'pipe', 'inherit'] })
  const closed = once(child, 'close')
  let stdout = ''
  child.stdin.on('error', () => undefined).end(stdin)
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    stdout += chunk
  })
  await closed
  if (child.exitCode !== 0) throw new Error(`${file} failed (${child.exitCode}): ${stdout}`)
  return stdout
}

interface Program {
  name: string
  file: string
}

/** add or del by a cnitool, in a namespace of its own; both remember results in the same folder. */
function cnitool({ name, file }: Program, command: 'add' | 'del'): Contender {
  return {
    name,
    async prepare() {
      const place = await tempNetns()
      const call = (verb: string) => run([file, verb, 'bench', place.path], { env: toolEnv })
      if (command === 'del') await call('add')
      return {
        argv: [file, command, 'bench', place.path],
        env: toolEnv,
        async verify() {
          const { stdout } = await netns.exec(place, ['iptables-save'], { env: { PATH } })
          const cached = readdirSync('/var/lib/cni/results').length
          const [rules, remembered] = command === 'add' ? [true, 1] : [false, 0]
          if (stdout.includes('EX_REDIRECT') !== rules || cached !== remembered)
            throw new Error(`${name} ${command}: rules ${stdout}, ${cached} cache files`)
        },
        async cleanUp() {
          await call('del')
          await place[Symbol.asyncDispose]()
        },
      }
    },
  }
}

/** STATUS of a list from before STATUS: start, load the list, end. */
function idle({ name, file }: Program): Contender {
  return { name, prepare: async () => ({ argv: [file, 'status', 'bench', '/proc/self/ns/net'], env: toolEnv }) }
}

function version(name: string, file: string): Contender {
  return {
    name,
    prepare: async () => ({ argv: [file], env: { CNI_COMMAND: 'VERSION' }, stdin: '{"cniVersion":"1.0.0"}' }),
  }
}

function single({ name, file, conf }: Program & { conf: { prevResult?: boolean } }): Contender {
  return {
    name,
    async prepare() {
      const { place, rt } = await pod()
      const prevResult = {
        cniVersion: '1.0.0',
        interfaces: [{ name: 'lo', sandbox: place.path }],
        ips: [{ interface: 0, address: '127.0.0.1/8' }],
      }
      return {
        argv: [file],
        env: {
          PATH,
          CNI_COMMAND: 'ADD',
          CNI_CONTAINERID: rt.containerID,
          CNI_NETNS: place.path,
          CNI_IFNAME: 'lo',
          CNI_PATH: DEBIAN,
        },
        stdin: JSON.stringify({
          cniVersion: '1.0.0',
          name: 'bench',
          type: 'x',
          ...(conf.prevResult ? { prevResult } : {}),
        }),
        verify(stdout: string) {
          if (!stdout.includes('127.0.0.1/8')) throw new Error(`${name}: not the result expected: ${stdout}`)
        },
        cleanUp: () => place[Symbol.asyncDispose](),
      }
    },
  }
}

function markdown({
  machine,
  runs: count,
  chainRuns: chains,
  ...suites
}: { machine: string; runs: number; chainRuns: number } & Record<string, unknown>): string {
  const lines = [
    `In turn, milliseconds, ${count} runs each after one to warm up, ${chains} of chains; whole processes but for our library.`,
    machine,
  ]
  for (const [suite, timings] of Object.entries(suites)) lines.push('', ...table(suite, timings as Timing[]))
  return `${lines.join('\n')}\n`
}

function table(suite: string, timings: readonly Timing[]): string[] {
  const ours = timings.find(({ name }) => name.startsWith('ours'))
  const row = (timing: Timing): string => {
    const { name, medianMs, minMs, maxMs } = timing
    const ratio = ours && timing !== ours ? `${(ours.medianMs / medianMs).toFixed(2)} ×` : ''
    return `| ${name} | ${medianMs.toFixed(1)} | ${minMs.toFixed(1)} | ${maxMs.toFixed(1)} | ${ratio} |`
  }
  return [`| ${suite} | median | min | max | ours ÷ this |`, '|---|---|---|---|---|', ...timings.map(row)]
}
