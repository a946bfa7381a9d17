/** Measures agents in ambient mode on simulated nodes: ours and, with CNI_PEERS, Istio's. */
import { mkdirSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { run } from '@cni/host'
import { say } from '../scripts/lib/progress.ts'
import { measuredAgents } from './lib/agent/measured-agents.ts'
import { type AckingZtunnel, ackingZtunnel } from './lib/ambient/acking-ztunnel.ts'
import { type AmbientLife, ambientLife, relabelled, started } from './lib/ambient/ambient-life.ts'
import { eventOf, NAMESPACE, publishPod, statusOf } from './lib/ambient/ambient-pods.ts'
import { type Row, SuiteReport, settings } from './lib/race/suite.ts'
import { until } from './lib/until.ts'

const used = settings({ runs: 40, pods: 250 })
/** Milliseconds to wait until each agent has learned of new pods from the API server. */
const KNOWN_MS = 2000
/** Milliseconds of pause, because an agent's unfinished work would disturb the next measurement. */
const SETTLED_MS = 20
/** Milliseconds to wait until an idle agent has returned unused memory to the kernel. */
const AT_REST_MS = 40_000
/** Number of pods for a second measurement of an agent's restart, fewer than in the first. */
const FEWER = 100
const [SNAPSHOTS, RESTARTS] = [10, 3]

await run(['ip', 'link', 'set', 'lo', 'up'])
mkdirSync('/run/netns', { recursive: true })
const about =
  'The node agent in ambient mode with its API server, a ztunnel that says yes at once, and pods without processes'
const suite = new SuiteReport(about, used)
await using stack = new AsyncDisposableStack()
const lives: Life[] = []
/** Stand-ins for ztunnel, one for each measured agent. Each agent sends all new pods to its own stand-in. */
const ztunnels: AckingZtunnel[] = []
for (const one of measuredAgents()) {
  const life = await ambientLife(stack, one, used.pods)
  lives.push({ ...life, rows: new Map() })
}
await enrolledByEvents()
await withoutAndWithLabel()
await snapshots()
await restarts(used.pods)
if (used.pods > FEWER) {
  for (const { node, pods } of lives) for (const pod of pods.slice(FEWER)) node.api.deletePod(NAMESPACE, pod.name)
  await restarts(FEWER)
}
suite.addRows(lives.map(({ name, rows }) => ({ name, reference: name !== 'ours', rows: [...rows.values()] })))
suite.write()

interface Life extends AmbientLife {
  /** Measured quantities of the agent. The key is the title under which the report shows the quantity. */
  readonly rows: Map<string, Row & { readonly samples: number[] }>
}

/** Calls `work` for one agent after the other, in each of `rounds` rounds. */
async function alternate(rounds: number, work: (life: Life, round: number) => Promise<void>): Promise<void> {
  for (let round = 0; round < rounds; round += 1) {
    for (const life of lives) {
      await work(life, round)
      await sleep(SETTLED_MS)
    }
  }
}

/** Starts all pods one by one, and sends the agent the event that the plugin sends in an ADD. */
async function enrolledByEvents(): Promise<void> {
  const bare = new Map<Life, { megabytes: number; descriptors: number; cpu: number }>()
  for (const life of lives) {
    ztunnels.push((await started(life)).ztunnel)
    for (const pod of life.pods) publishPod(life.node.api, pod, { mesh: true, runs: false })
    // On a real node, the agent also learns of a pod long before the pod starts.
    await sleep(KNOWN_MS)
    bare.set(life, { ...life.node.memory(), cpu: life.node.cpuMs() })
  }
  await alternate(used.pods, async (life, index) => {
    const pod = life.pods[index]
    if (pod === undefined) return
    note(life, 'event to answer', 'ms', await life.node.event(eventOf(pod)))
    publishPod(life.node.api, pod, { mesh: true, runs: true })
  })
  for (const [{ node, pods }] of bare) {
    const areEnrolled = () => pods.every((pod) => statusOf(node.api, pod) === 'enabled')
    await until(areEnrolled, 'all pods are enrolled', { limit: 120_000 })
  }
  for (const [life, { cpu }] of bare) note(life, 'an enrolled pod', 'CPU ms', (life.node.cpuMs() - cpu) / used.pods)
  await sleep(AT_REST_MS)
  for (const [life, before] of bare) {
    const { pods, node } = life
    const { megabytes, descriptors } = node.memory()
    note(life, `memory with ${pods.length} pods`, 'MB', megabytes)
    note(life, 'memory without pods', 'MB', before.megabytes)
    note(life, 'descriptors of an enrolled pod', 'count', (descriptors - before.descriptors) / pods.length)
  }
  say(`  ${used.pods} pods have started`)
}

/** Measures the time to remove each pod from the mesh and to add it again. Pauses before each measurement. */
async function withoutAndWithLabel(): Promise<void> {
  for (const { node, pods } of lives) node.show(pods)
  await alternate(Math.min(used.runs, used.pods), async (life, index) => {
    const pod = life.pods[index]
    if (pod === undefined) return
    note(life, 'label removed to un-enrolled', 'ms', await relabelled(life, pod, false))
    await sleep(SETTLED_MS)
    note(life, 'label to enrolled', 'ms', await relabelled(life, pod, true))
  })
  say('  labels were changed')
}

/** Measures the time until a newly connected stand-in for ztunnel has received the messages about all pods. */
async function snapshots(): Promise<void> {
  for (const ztunnel of ztunnels) await ztunnel[Symbol.asyncDispose]()
  await alternate(SNAPSHOTS, async (life) => {
    await using ztunnel = await ackingZtunnel(life.node.ztunnelSocket)
    if (ztunnel.pods !== life.pods.length) throw new Error(`ztunnel was told of ${ztunnel.pods} pods`)
    note(life, `snapshot of ${life.pods.length} pods`, 'ms', ztunnel.snapshotMs)
  })
}

/** Restarts each agent while its pods are in the mesh. The other agents are idle during the measurement. */
async function restarts(pods: number): Promise<void> {
  for (const { node } of lives) await node.stop()
  await alternate(RESTARTS, async (life) => {
    const { readyMs, notifiedMs, ztunnel } = await started(life)
    if (ztunnel.pods !== pods) throw new Error(`ztunnel was told of ${ztunnel.pods} pods instead of ${pods}`)
    note(life, `ready after a restart with ${pods} pods`, 'ms', readyMs)
    note(life, `ztunnel knows all ${pods} pods after a restart`, 'ms', notifiedMs)
    await ztunnel[Symbol.asyncDispose]()
    await life.node.stop()
  })
  say(`  restarted with ${pods} pods`)
}

function note({ rows }: Life, group: string, quantity: string, sample: number): void {
  const row = rows.get(group) ?? { group, quantity, samples: [] }
  rows.set(group, row)
  row.samples.push(sample)
}
