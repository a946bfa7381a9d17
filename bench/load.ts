/** Measures an ADD under load, such as a busy node or a slow API server. */
import { spawn } from 'node:child_process'
import { mkdirSync, readFileSync } from 'node:fs'
import { setPriority } from 'node:os'
import { run } from '@cni/host'
import { repairGrants } from '@cni/istio-redirect/testing'
import { type ApiServer, startApiServer } from '@cni/kube/testing'
import type { Netns } from '@cni/netns'
import { say } from '../scripts/lib/progress.ts'
import { type AgentInstance, agentInstance } from './lib/agent/agent-instance.ts'
import { type Agent, measuredAgents, ourAgent } from './lib/agent/measured-agents.ts'
import { call, hasRules, MESH, podNamespace } from './lib/calls/plugin-calls.ts'
import { Spawner } from './lib/race/spawner-client.ts'
import { SuiteReport, settings } from './lib/race/suite.ts'
import { percentile } from './lib/report/statistics.ts'
import { freshCopy } from './lib/scratch.ts'
import { until } from './lib/until.ts'

const used = settings({ runs: 3, pods: 250 })
/** Delay of the simulated API server's responses in milliseconds. */
const LATENCY_MS = 200
/** Number of processes that keep the CPU busy during the measurement. */
const BUSY = 8
/** High priority for this process, because its simulated API server must stay fast. */
const [FIRST, NORMAL] = [-15, 0]
/** Milliseconds between two attempts to remove the plugin from the node's network list. */
const DAMAGE_MS = 20

interface Contender {
  readonly name: string
  readonly plugin: string
  readonly agent: AgentInstance
  readonly conf: object
  readonly reference: boolean
}

/** Times and failures of pods that were started at the same time. */
interface Burst {
  readonly times: readonly number[]
  readonly cpuMs: readonly number[]
  readonly failures: readonly string[]
  readonly heals: number
  readonly ms: number
}

await run(['ip', 'link', 'set', 'lo', 'up'])
const suite = new SuiteReport(
  `${used.pods} mesh pods at once, ${BUSY} busy processes, ${LATENCY_MS} ms until the API server answers, the list of ` +
    'networks damaged all the time: whole processes, of each contender with its own agent, in turn',
  used,
)
await using api = await startApiServer({ pods: [MESH], grants: repairGrants.repair, latencyMs: LATENCY_MS })
await using places = new AsyncDisposableStack()
const ours = contenderOf(ourAgent)
const originals = measuredAgents().filter((agent) => agent !== ourAgent)
const contenders: Contender[] = [
  { ...ours, name: 'ours, served' },
  { ...ours, conf: { agent: 'never' } },
  ...originals.map((agent) => ({ ...contenderOf(agent), reference: true })),
]
const bursts = new Map<string, Burst[]>(contenders.map(({ name }) => [name, []]))
using spawner = new Spawner()
setPriority(spawner.pid, FIRST)
for (let round = 0; round < used.runs; round += 1) {
  for (const contender of contenders) {
    const one = await burst(contender)
    bursts.get(contender.name)?.push(one)
    say(`  ${contender.name}: ${(one.ms / 1000).toFixed(1)} s, ${one.failures.length} failed, ${one.heals} heals`)
    for (const text of new Set(one.failures)) say(`    ${text}`)
  }
}
report('ms', ({ times }) => times)
report('CPU ms', ({ cpuMs }) => cpuMs)
report('p99 ms', ({ times }) => [percentile(times, 0.99)])
report('max ms', ({ times }) => [Math.max(...times)])
report('failed', ({ failures }) => [failures.length])
report('all of them, ms', ({ ms }) => [ms])
suite.write()

function contenderOf(agent: Agent): Contender {
  const plugin = freshCopy(agent.plugin)
  return { name: agent.name, plugin, agent: places.use(agentInstance(agent, api)), conf: {}, reference: false }
}

function report(quantity: string, of: (one: Burst) => readonly number[]): void {
  const entries = contenders.map(({ name, reference }) => ({
    name,
    reference,
    samples: (bursts.get(name) ?? []).flatMap(of),
  }))
  suite.add(`${used.pods} mesh pods at once`, quantity, entries)
}

/** Starts many pods at the same time on a busy node. */
async function burst({ name, plugin, agent, conf }: Contender): Promise<Burst> {
  await using stack = new AsyncDisposableStack()
  const pods: Netns[] = []
  for (let pod = 0; pod < used.pods; pod += 1) pods.push(stack.use(await podNamespace()))
  agent.reset()
  stack.defer(async () => void (await agent.stop()))
  await agent.start()
  const node = nodeOf(api, agent.path('var/run/istio-cni'))
  if (name.endsWith('served')) await until(() => api.watches() > 0, 'the agent watches the pods')
  const healing = damageAllTheTime(agent)
  stack.use(healing)
  for (let one = 0; one < BUSY; one += 1) stack.use(busyProcess())
  const entry = { name, argv: [plugin], conf } as const
  // Child processes inherit this priority, so `nice` lowers the priority of each plugin.
  setPriority(FIRST)
  stack.defer(() => setPriority(NORMAL))
  const began = performance.now()
  const all = await Promise.all(
    pods.map((pod) => {
      const { argv, ...one } = call(node, entry, 'ADD', pod, MESH.metadata.name)
      return spawner.run({ argv: ['/usr/bin/nice', '-n', String(NORMAL - FIRST), ...argv], ...one })
    }),
  )
  const ms = performance.now() - began
  setPriority(NORMAL)
  const failures = all.filter(({ exitCode }) => exitCode !== 0).map(({ stdout, stderr }) => stdout || stderr)
  for (const pod of pods.filter((_, index) => index % 25 === 0 && all[index]?.exitCode === 0)) {
    if (!(await hasRules(pod))) throw new Error(`${name}: a pod without rules`)
  }
  const cpuMs = all.map((one) => one.cpuMs)
  return { times: all.map((one) => one.ms), cpuMs, failures, heals: healing.heals(), ms }
}

/** API server, folders and network list of the node, as needed for a plugin call. */
function nodeOf(server: ApiServer, runDir: string): Parameters<typeof call>[0] {
  mkdirSync(runDir, { recursive: true })
  const plugins = [{ type: 'bridge' }, { type: 'istio-cni', cni_agent_run_dir: runDir }]
  return { api: server, conflist: { cniVersion: '1.0.0', name: 'demo', plugins } }
}

/** Removes the plugin from the node's network list whenever the agent has added it. Counts the repairs. */
function damageAllTheTime(agent: AgentInstance): Disposable & { heals(): number } {
  let heals = 0
  const timer = setInterval(() => {
    if (!readFileSync(agent.files.list, 'utf8').includes('istio-cni')) return
    heals += 1
    agent.damageList()
  }, DAMAGE_MS)
  return { heals: () => heals, [Symbol.dispose]: () => clearInterval(timer) }
}

/** Starts a process that keeps a CPU busy. The process ends together with this process, also after a signal. */
function busyProcess(): Disposable {
  const child = spawn('/bin/sh', ['-c', 'while kill -0 "$0"; do :; done', String(process.pid)], { stdio: 'ignore' })
  return { [Symbol.dispose]: () => void child.kill('SIGKILL') }
}
