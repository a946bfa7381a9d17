/** Whole-process times of the compiled plugin beside the bare runtime and, with CNI_PEERS, the original. */
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { cpus, release, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { buildExecutable } from '@cni/build'
import { run } from '@cni/host'
import { type Netns, netns } from '@cni/netns'
import { loadSys } from '@cni/netns/sys'
import { tempNetns } from '@cni/netns/testing'
import { meshPod, type Node, plainPod, startNode } from '@cni-examples/istio-redirect/testing'
import { type Contender, type Prepared, percentile, race, type Timing } from './measure.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const PLUGIN = join(root, 'dist/bin/istio-cni')
const MESH = meshPod({ namespace: 'demo', name: 'mesh' })
const OUTSIDE = plainPod({ namespace: 'demo', name: 'outside' })

/** What containerd hands over of a pod without a sidecar. */
const HANDED_OVER = { runtimeConfig: { 'io.kubernetes.cri.pod-annotations': { 'example.org/any': 'thing' } } }

const { values } = parseArgs({
  options: { runs: { type: 'string', default: '20' }, pods: { type: 'string', default: '200' } },
})
const runs = Number(values.runs)
if (!Number.isInteger(runs) || runs < 1)
  throw new RangeError(`--runs: expected a positive integer, got "${values.runs}"`)

const folder = mkdtempSync(join(tmpdir(), 'cni-bench-'))
// The run directory of a node is on a tmpfs; only this process sees the one we mount.
loadSys().mount('tmpfs', folder, 'tmpfs', 0, 'mode=0755')
try {
  const original = peer('istio-cni')
  await using node = await startNode({ folder, target: 'host', plugin: PLUGIN, pods: [MESH, OUTSIDE] })
  const bare = await bareRuntime()
  const plugins = [{ name: 'ours', file: PLUGIN }, ...(original ? [{ name: 'original', file: original }] : [])]
  const report = {
    machine: `${cpus().length} × ${cpus()[0]?.model ?? '?'}, Linux ${release()}`,
    iptables: (await run(['iptables-restore', '--version'])).stdout.trim(),
    runs,
    VERSION: await race(
      [{ name: 'bare runtime', file: bare }, ...plugins].map(({ name, file }) => version(name, file)),
      runs,
    ),
    'ADD, mesh pod': await race(
      plugins.map((plugin) => add(node, plugin, MESH.metadata.name, true)),
      runs,
    ),
    'ADD, pod outside the mesh': await race(
      plugins.map((plugin) => add(node, plugin, OUTSIDE.metadata.name, false)),
      runs,
    ),
    'ADD, pod outside the mesh, annotations handed over': await race(
      plugins.map((plugin) => add(node, plugin, OUTSIDE.metadata.name, false, HANDED_OVER)),
      runs,
    ),
    'ADD, excluded namespace': await race(
      plugins.map((plugin) => add(node, plugin, OUTSIDE.metadata.name, false, { exclude_namespaces: ['demo'] })),
      runs,
    ),
    'CHECK, mesh pod': await race(
      plugins.map((plugin) => after(node, plugin, 'CHECK')),
      runs,
    ),
    'DEL, mesh pod': await race(
      plugins.map((plugin) => after(node, plugin, 'DEL')),
      runs,
    ),
  }
  const burst = await bursts(node, plugins)
  const text = `${markdown(report)}\n${split(report)}\n${burst}`
  mkdirSync(join(root, 'bench/report'), { recursive: true })
  writeFileSync(join(root, 'bench/report/plugin.json'), `${JSON.stringify(report, null, 2)}\n`)
  writeFileSync(join(root, 'bench/report/plugin.md'), text)
  console.log(text)
  if (!original) console.log('The original was not raced: CNI_PEERS does not name a folder with `istio-cni`.')
} finally {
  loadSys().umount2(folder, 2)
  rmSync(folder, { recursive: true, force: true })
}

function peer(name: string): string | undefined {
  const file = join(process.env.CNI_PEERS ?? '', name)
  return process.env.CNI_PEERS && existsSync(file) ? file : undefined
}

/** What any compiled file costs before a line of ours runs. */
async function bareRuntime(): Promise<string> {
  const entry = join(folder, 'bare.ts')
  writeFileSync(entry, '')
  return (await buildExecutable({ entry, outfile: join(folder, 'bare'), smoke: false })).outfile
}

function version(name: string, file: string): Contender {
  return { name, prepare: async () => ({ argv: [file], env: { CNI_COMMAND: 'VERSION' } }) }
}

interface Plugin {
  name: string
  file: string
}

/** ADD in a namespace that has never seen a rule. */
function add(node: Node, plugin: Plugin, pod: string, expectsRules: boolean, conf: object = {}): Contender {
  return {
    name: plugin.name,
    async prepare() {
      const place = await podNamespace()
      return {
        ...call(node, plugin, 'ADD', place, pod, conf),
        async verify() {
          const { stdout } = await netns.exec(place, ['iptables-save'])
          if (stdout.includes('ISTIO_OUTPUT') !== expectsRules)
            throw new Error(`${plugin.name}: wrong rules: ${stdout}`)
        },
        cleanUp: () => place[Symbol.asyncDispose](),
      }
    },
  }
}

/** CHECK or DEL of a pod that has just been added. */
function after(node: Node, plugin: Plugin, verb: 'CHECK' | 'DEL'): Contender {
  return {
    name: plugin.name,
    async prepare() {
      const place = await podNamespace()
      const { argv, env, stdin } = call(node, plugin, 'ADD', place, MESH.metadata.name)
      await run(argv, { env, input: stdin })
      return { ...call(node, plugin, verb, place, MESH.metadata.name), cleanUp: () => place[Symbol.asyncDispose]() }
    },
  }
}

async function podNamespace(): Promise<Netns & AsyncDisposable> {
  const place = await tempNetns()
  await netns.exec(place, ['ip', 'address', 'add', '10.222.0.9/32', 'dev', 'lo'])
  return place
}

function call(
  node: Node,
  plugin: Plugin,
  verb: string,
  place: Netns,
  pod: string,
  conf: object = {},
): Prepared & { env: Record<string, string>; stdin: string } {
  const [, entry] = node.conflist.plugins
  const prevResult = {
    cniVersion: '1.0.0',
    interfaces: [{ name: 'eth0', sandbox: place.path }],
    ips: [{ interface: 0, address: '10.222.0.9/24' }],
  }
  return {
    argv: [plugin.file],
    env: {
      PATH: '/usr/sbin:/usr/bin:/sbin:/bin',
      CNI_COMMAND: verb,
      CNI_CONTAINERID: 'bench',
      CNI_NETNS: place.path,
      CNI_IFNAME: 'eth0',
      CNI_PATH: node.binDir,
      CNI_ARGS: `IgnoreUnknown=1;K8S_POD_NAMESPACE=demo;K8S_POD_NAME=${pod}`,
    },
    stdin: JSON.stringify({
      ...entry,
      cniVersion: '1.0.0',
      name: 'demo',
      plugin_log_level: 'warn',
      prevResult,
      ...conf,
    }),
  }
}

function markdown({
  machine,
  iptables,
  runs: count,
  ...suites
}: { machine: string; iptables: string; runs: number } & Record<string, unknown>): string {
  const lines = [
    `Whole processes in turn, milliseconds, ${count} runs each after one to warm up.`,
    `${machine}; ${iptables}`,
  ]
  for (const [suite, timings] of Object.entries(suites)) lines.push('', ...table(suite, timings as Timing[]))
  return `${lines.join('\n')}\n`
}

function table(suite: string, timings: readonly Timing[]): string[] {
  const ours = timings.find(({ name }) => name === 'ours')
  const row = ({ name, medianMs, minMs, maxMs, cpuMs = Number.NaN, rssMB = Number.NaN }: Timing): string => {
    const ratio = ours && name === 'original' ? `${(ours.medianMs / medianMs).toFixed(2)} ×` : ''
    const cpuRatio = ours?.cpuMs && name === 'original' ? `${(ours.cpuMs / cpuMs).toFixed(2)} ×` : ''
    const cells = [medianMs, minMs, maxMs, cpuMs, rssMB].map((value) => value.toFixed(1))
    return `| ${[name, ...cells, ratio, cpuRatio].join(' | ')} |`
  }
  const head = `| ${suite} | median | min | max | CPU ms | RSS MB | ours ÷ original | CPU ÷ |`
  return [head, '|---|---|---|---|---|---|---|---|', ...timings.map(row)]
}

/** Where an ADD of a mesh pod spends its time: each line is what one more step costs, as a difference of medians. */
function split(report: Record<string, unknown>): string {
  const median = (suite: string, name = 'ours'): number => {
    const timings = report[suite] as Timing[] | undefined
    return timings?.find((timing) => timing.name === name)?.medianMs ?? Number.NaN
  }
  const steps: readonly (readonly [string, number])[] = [
    ['the bare runtime', median('VERSION', 'bare runtime')],
    ['start-up: our code, up to the answer to VERSION', median('VERSION')],
    ['configuration, log, result', median('ADD, excluded namespace')],
    ['kubeconfig and one request to the API server', median('ADD, pod outside the mesh')],
    ['state, rules and iptables-restore', median('ADD, mesh pod')],
  ]
  const rows = steps.map(([step, total], index) => {
    const before = steps[index - 1]?.[1] ?? 0
    return `| ${step} | ${(total - before).toFixed(1)} | ${total.toFixed(1)} |`
  })
  return ['| ADD of a mesh pod, step by step | ms | so far |', '|---|---|---|', ...rows, ''].join('\n')
}

/** 200 pods, eight at a time: what a node sees when it starts. */
async function bursts(node: Node, contenders: readonly Plugin[]): Promise<string> {
  const pods = Number(values.pods)
  const rows: string[] = []
  for (const plugin of contenders) {
    const times: number[] = []
    const waiting = Array.from({ length: pods }, (_, index) => index)
    const begun = performance.now()
    const worker = async () => {
      for (let index = waiting.pop(); index !== undefined; index = waiting.pop()) {
        await using place = await podNamespace()
        const { argv, env, stdin } = call(node, plugin, 'ADD', place, MESH.metadata.name)
        const { durationMs } = await run(argv, { env: { ...env, CNI_CONTAINERID: `burst${index}` }, input: stdin })
        times.push(durationMs)
      }
    }
    await Promise.all(Array.from({ length: 8 }, worker))
    const total = performance.now() - begun
    const cells = [percentile(times, 0.5), percentile(times, 0.99), Math.max(...times), total]
    rows.push(`| ${plugin.name} | ${cells.map((value) => value.toFixed(0)).join(' | ')} |`)
  }
  return [
    `| ${pods} mesh pods, 8 at a time | median | p99 | max | all of them |`,
    '|---|---|---|---|---|',
    ...rows,
    '',
  ].join('\n')
}
