/** The node agent in ambient mode beside, with CNI_PEERS, the original: one API server, one node, pods without processes. */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { run } from '@cni/host'
import { ambientGrants, startApiServer } from '@cni/istio-redirect/testing'
import { type AckingZtunnel, ackingZtunnel } from './lib/acking-ztunnel.ts'
import type { Agent } from './lib/agent-place.ts'
import { type AmbientPlace, ambientPlace } from './lib/ambient-place.ts'
import { type BenchPod, eventOf, makePods, NODE, statusOf, tell } from './lib/ambient-pods.ts'
import { root } from './lib/compiled.ts'
import { peer } from './lib/peers.ts'
import { type Row, SuiteReport, settings } from './lib/suite.ts'

const used = settings({ runs: 40, pods: 250 })
const MOST_MS = 120_000
/** Until an agent knows of pods that were made. */
const KNOWN_MS = 2000
/** Of the restarts, beside that with all pods. */
const FEWER = 100

await run(['ip', 'link', 'set', 'lo', 'up'])
mkdirSync('/run/netns', { recursive: true })
const [agent, plugin] = [peer('install-cni'), peer('istio-cni')]
const original = agent === undefined || plugin === undefined ? [] : [{ name: 'original', agent, plugin }]
const ours = { name: 'ours', agent: join(root, 'dist/bin/install-cni'), plugin: join(root, 'dist/bin/istio-cni') }
const about =
  'The node agent in ambient mode with its API server, a ztunnel that says yes at once, and pods without processes'
const suite = new SuiteReport(about, used)
const results: { name: string; reference: boolean; rows: Row[] }[] = []
for (const one of [ours, ...original]) {
  results.push({ name: one.name, reference: one.name !== 'ours', rows: await measure(one) })
}
suite.addRows(results)
suite.write()

/** What one agent took, in a life of its own: pods that are new, that join and leave, restarts with ever more of them. */
async function measure(one: Agent): Promise<Row[]> {
  await using stack = new AsyncDisposableStack()
  const pods = await makePods(used.pods)
  for (const { netns } of pods) stack.use(netns)
  const api = stack.use(await startApiServer({ grants: ambientGrants, namespaces: { mesh: {} } }))
  api.setDaemonSet('istio-system', 'istio-cni-node', {})
  api.setNode(NODE, {})
  const place = stack.use(ambientPlace(one, api))
  const say = (text: string): void => void process.stderr.write(`  ${one.name}: ${text}\n`)

  place.show([])
  const bare = await started(place)
  const atFirst = place.memory()
  const events: number[] = []
  for (const pod of pods) tell(api, pod, { mesh: true, runs: false })
  // Scheduled long before they start.
  await sleep(KNOWN_MS)
  const before = place.cpuMs()
  for (const pod of pods) {
    events.push(await place.event(eventOf(pod)))
    tell(api, pod, { mesh: true, runs: true })
  }
  const cpu = (place.cpuMs() - before) / pods.length
  say(`${pods.length} pods have started`)
  await until(() => pods.every((pod) => statusOf(api, pod) === 'enabled'), 'all pods are enrolled')
  const withAll = place.memory()
  place.show(pods)
  const [left, joined] = await relabelled(pods.slice(0, used.runs), async (pod, mesh) => {
    const began = performance.now()
    tell(api, pod, { mesh, runs: true })
    await until(() => statusOf(api, pod) === (mesh ? 'enabled' : undefined), `${pod.name} is ${mesh ? 'in' : 'out'}`)
    return performance.now() - began
  })
  say('labels were changed')
  await bare.ztunnel[Symbol.asyncDispose]()
  const snapshots: number[] = []
  for (let times = 0; times < 10; times += 1) {
    await using ztunnel = await ackingZtunnel(place.ztunnelSocket)
    if (ztunnel.pods !== pods.length) throw new Error(`ztunnel was told of ${ztunnel.pods} pods`)
    snapshots.push(ztunnel.snapshotMs)
  }
  await place.stop()
  const all = await restarted(place, pods.length)
  say('restarted with all pods')
  for (const pod of pods.slice(FEWER)) api.deletePod('mesh', pod.name)
  const fewer = pods.length > FEWER ? [await restarted(place, FEWER)] : []
  return [
    { group: 'event to answer', quantity: 'ms', samples: events },
    { group: 'label to enrolled', quantity: 'ms', samples: joined },
    { group: 'label removed to un-enrolled', quantity: 'ms', samples: left },
    ...[...fewer, all].flatMap(({ ready, told, ...of }) => [
      { group: `ready after a restart with ${of.pods} pods`, quantity: 'ms', samples: ready },
      { group: `ztunnel knows all ${of.pods} pods after a restart`, quantity: 'ms', samples: told },
    ]),
    { group: `snapshot of ${pods.length} pods`, quantity: 'ms', samples: snapshots },
    { group: `memory with ${pods.length} pods`, quantity: 'MB', samples: [withAll.megabytes] },
    { group: 'memory without pods', quantity: 'MB', samples: [atFirst.megabytes] },
    {
      group: 'descriptors of an enrolled pod',
      quantity: 'count',
      samples: [(withAll.descriptors - atFirst.descriptors) / pods.length],
    },
    { group: 'an enrolled pod', quantity: 'CPU ms', samples: [cpu] },
  ]
}

/** Each pod out of the mesh and in again; by turns, so that each is one after a pause. */
async function relabelled(
  pods: readonly BenchPod[],
  change: (pod: BenchPod, mesh: boolean) => Promise<number>,
): Promise<[left: number[], joined: number[]]> {
  const [left, joined]: [number[], number[]] = [[], []]
  for (const pod of pods) {
    left.push(await change(pod, false))
    joined.push(await change(pod, true))
  }
  return [left, joined]
}

/** From the start of the agent until ztunnel was told of all pods, and until the agent is ready as well; three times. */
async function restarted(
  place: AmbientPlace,
  pods: number,
): Promise<{ pods: number; ready: number[]; told: number[] }> {
  const [ready, told]: [number[], number[]] = [[], []]
  for (let times = 0; times < 3; times += 1) {
    const { readyMs, toldMs, ztunnel } = await started(place)
    if (ztunnel.pods !== pods) throw new Error(`ztunnel was told of ${ztunnel.pods} pods instead of ${pods}`)
    ready.push(readyMs)
    told.push(toldMs)
    await ztunnel[Symbol.asyncDispose]()
    await place.stop()
  }
  return { pods, ready, told }
}

async function started(place: AmbientPlace): Promise<{ readyMs: number; toldMs: number; ztunnel: AckingZtunnel }> {
  const began = performance.now()
  place.start()
  const ztunnel = await connected(place.ztunnelSocket, began)
  const toldMs = performance.now() - began
  await until(() => place.isReady(), 'the agent is ready')
  return { readyMs: performance.now() - began, toldMs, ztunnel }
}

/** A ztunnel tries again until an agent listens. */
async function connected(path: string, began: number): Promise<AckingZtunnel> {
  for (;;) {
    try {
      return await ackingZtunnel(path)
    } catch (error) {
      if (performance.now() - began > MOST_MS) throw error
      await sleep(5)
    }
  }
}

async function until(condition: () => boolean | Promise<boolean>, what: string): Promise<void> {
  const deadline = performance.now() + MOST_MS
  while (!(await condition())) {
    if (performance.now() > deadline) throw new Error(`${what}: not within ${MOST_MS} ms`)
    await sleep(1)
  }
}
