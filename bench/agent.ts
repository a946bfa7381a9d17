/** The node agent beside, with CNI_PEERS, the original: start, heals, idling, exit. Both in the same throw-away root. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  appendFileSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { run } from '@cni/host'
import { loadSys } from '@cni/netns/sys'
import { root } from './lib/compiled.ts'
import { peer } from './lib/peers.ts'
import { percentile } from './lib/statistics.ts'
import { type Row, SuiteReport, settings } from './lib/suite.ts'

const used = settings({ runs: 10, heals: 10, 'gap-ms': 1200, 'idle-seconds': 20 })
const { runs, heals, 'gap-ms': gapMs, 'idle-seconds': idleSeconds } = used

/** How long a heal is waited for, and how often one that never comes is tried. */
const NEVER_MS = 5000
const NEVER_TRIES = 3

interface Agent {
  readonly name: string
  readonly agent: string
  readonly plugin: string
}

const conflist = `${JSON.stringify({ cniVersion: '0.3.1', name: 'k8s-pod-network', plugins: [{ type: 'calico' }] }, null, 2)}\n`
const folder = mkdtempSync(join(tmpdir(), 'cni-bench-agent-'))
const sys = loadSys()
const mounts: string[] = []
const children = new Set<ChildProcess>()
try {
  await run(['ip', 'link', 'set', 'lo', 'up'])
  const [agent, plugin] = [peer('install-cni'), peer('istio-cni')]
  const original = agent === undefined || plugin === undefined ? [] : [{ name: 'original', agent, plugin }]
  const ours = { name: 'ours', agent: join(root, 'dist/bin/install-cni'), plugin: join(root, 'dist/bin/istio-cni') }
  const about = 'The node agent in a root folder on a tmpfs: starts and exits in turn, then heals and idling'
  const suite = new SuiteReport(about, used)
  suite.addRows(await measure([ours, ...original]))
  suite.write()
} finally {
  for (const child of children) child.kill('SIGKILL')
  for (const path of mounts.reverse()) sys.umount2(path, 2)
  rmSync(folder, { recursive: true, force: true })
}

/** What one agent took, row by row of the report; no samples where it never happened. */
type Result = Row[]

/** Starts in turn, so that a machine that drifts does so for all of them; then heals and idling, one after the other. */
async function measure(agents: readonly Agent[]): Promise<{ name: string; reference: boolean; rows: Result }[]> {
  const places = agents.map((one) => ({
    name: one.name,
    place: newRoot(one),
    starts: [] as number[],
    exits: [] as number[],
  }))
  for (let round = -1; round < runs; round++) {
    for (const { place, starts, exits } of places) {
      place.reset()
      const { ms, child } = await start(place)
      const exit = await stop(child)
      // The first round only warms the page cache.
      if (round === -1) continue
      starts.push(ms)
      exits.push(exit)
    }
  }
  const results: { name: string; reference: boolean; rows: Result }[] = []
  for (const { name, place, starts, exits } of places) {
    place.reset()
    const { child } = await start(place)
    const more = [...(await healed(place)), ...(await idling(child.pid ?? 0))]
    await stop(child)
    const rows = [
      { group: 'start to ready', quantity: 'ms', samples: starts },
      ...more,
      { group: 'SIGTERM to exit', quantity: 'ms', samples: exits },
    ]
    results.push({ name, reference: name !== 'ours', rows })
  }
  return results
}

async function healed(place: Place): Promise<Result> {
  const rows: Result = []
  for (const [group, path, damage] of place.artefacts()) {
    const samples = await healTimes(path, damage)
    const p99 = samples.length === 0 ? [] : [percentile(samples, 0.99)]
    rows.push({ group, quantity: 'ms', samples }, { group, quantity: 'p99 ms', samples: p99 })
  }
  return rows
}

interface Place {
  readonly agent: string
  readonly path: string
  reset(): void
  artefacts(): [name: string, path: string, damage: () => void][]
}

/** A root folder as in the agent's pod, on a tmpfs; libraries are the machine's. Only this process sees it. */
function newRoot({ name, agent, plugin }: Agent): Place {
  const path = join(folder, name)
  mkdirSync(path)
  mount('tmpfs', path, 'tmpfs', 0)
  const inside = (...parts: string[]): string => join(path, ...parts)
  const MS_BIND_REC = 0x1000 | 0x4000
  for (const one of ['usr', 'lib', 'lib64', 'bin', 'etc', 'proc', 'dev']) {
    if (!existsSync(`/${one}`)) continue
    mkdirSync(inside(one))
    mount(`/${one}`, inside(one), '', MS_BIND_REC)
  }
  const account = 'var/run/secrets/kubernetes.io/serviceaccount'
  for (const one of ['opt/cni/bin', 'tmp', account]) mkdirSync(inside(one), { recursive: true })
  copyFileSync(agent, inside('install-cni'))
  copyFileSync(plugin, inside('opt/cni/bin/istio-cni'))
  writeFileSync(inside(account, 'ca.crt'), 'CA')
  const list = inside('host/etc/cni/net.d/10-calico.conflist')
  const binary = inside('host/opt/cni/bin/istio-cni')
  const kubeconfig = inside('var/run/istio-cni/istio-cni-kubeconfig')
  let tokens = 0
  return {
    agent,
    path,
    reset() {
      for (const one of ['host', 'var/run/istio-cni']) rmSync(inside(one), { recursive: true, force: true })
      for (const one of ['host/etc/cni/net.d', 'host/opt/cni/bin', 'var/run/istio-cni']) {
        mkdirSync(inside(one), { recursive: true })
      }
      writeFileSync(list, conflist)
      writeFileSync(inside(account, 'token'), 'token')
    },
    artefacts: () => [
      ['conflist rewritten', list, () => writeFileSync(list, conflist)],
      [
        'conflist rewritten while the binary is copied',
        list,
        () => {
          appendFileSync(binary, 'x')
          writeFileSync(list, conflist)
        },
      ],
      ['binary removed', binary, () => rmSync(binary)],
      ['kubeconfig removed', kubeconfig, () => rmSync(kubeconfig)],
      [
        'token changed',
        kubeconfig,
        () => {
          tokens += 1
          writeFileSync(inside(account, 'token'), `token${tokens}`)
        },
      ],
    ],
  }
}

function mount(source: string, target: string, type: string, flags: number): void {
  sys.mount(source, target, type, flags, '')
  mounts.push(target)
}

async function start({ path }: Place): Promise<{ ms: number; child: ChildProcess }> {
  const env = {
    PATH: '/usr/sbin:/usr/bin',
    KUBERNETES_SERVICE_HOST: '10.96.0.1',
    KUBERNETES_SERVICE_PORT: '443',
    REPAIR_ENABLED: 'false',
    REPAIR_NODE_NAME: 'node',
  }
  const began = performance.now()
  const child = spawn('/usr/bin/unshare', [`--root=${path}`, '--wd=/', '/install-cni'], { env, stdio: 'ignore' })
  children.add(child)
  while (!(await isReady())) {
    if (child.exitCode !== null) throw new Error(`the agent ended with ${child.exitCode}`)
    if (performance.now() - began > 20_000) throw new Error('the agent is not ready after 20 s')
    await sleep(1)
  }
  return { ms: performance.now() - began, child }
}

async function stop(child: ChildProcess): Promise<number> {
  const exit = once(child, 'exit')
  const began = performance.now()
  child.kill('SIGTERM')
  await exit
  children.delete(child)
  return performance.now() - began
}

function isReady(): Promise<boolean> {
  return new Promise((resolve) => {
    const asked = request({ host: '127.0.0.1', port: 8000, path: '/readyz', agent: false }, (response) => {
      response.resume()
      resolve(response.statusCode === 200)
    })
    asked.on('error', () => resolve(false)).end()
  })
}

/** How long it takes until a damaged file is what it was; of a token's change, until the file is another one. */
async function healTimes(path: string, damage: () => void): Promise<number[]> {
  const times: number[] = []
  for (let round = 0; round < heals; round++) {
    await sleep(gapMs)
    const before = statText(path)
    damage()
    const damaged = statText(path)
    const began = performance.now()
    // a change of the token leaves the file as it is until it is healed
    const healed = () => (damaged === before ? statText(path) !== before : isWhole(path, before))
    while (!healed() && performance.now() - began < NEVER_MS) await sleep(0)
    if (healed()) {
      times.push(performance.now() - began)
      continue
    }
    writeFileSync(path, before, 'latin1')
    if (round + 1 >= NEVER_TRIES && times.length === 0) return []
  }
  // In their order: a ratio pairs the rounds.
  return times
}

/** The content of a small file, the size of a large one. */
function statText(path: string): string {
  try {
    const { size } = statSync(path)
    return size > 1e6 ? String(size) : readFileSync(path, 'latin1')
  } catch {
    return 'absent'
  }
}

function isWhole(path: string, before: string): boolean {
  return existsSync(path) && statText(path) === before
}

/** What it costs to do nothing, once what follows the start is over (compiling, collecting). */
async function idling(pid: number): Promise<Result> {
  await sleep(Math.min(60, idleSeconds) * 1000)
  const before = cpuTicks(pid)
  await sleep(idleSeconds * 1000)
  const cpu = ((cpuTicks(pid) - before) / 100 / idleSeconds) * 100
  const rss = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
  return [
    { group: 'idle', quantity: 'CPU %', samples: [cpu] },
    { group: 'idle', quantity: 'MB', samples: [Number(rss) / 1000] },
  ]
}

function cpuTicks(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /, '')
    .split(' ')
  return Number(fields[11]) + Number(fields[12])
}
