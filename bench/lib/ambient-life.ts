import { setTimeout as sleep } from 'node:timers/promises'
import { ambientGrants } from '@cni/istio-redirect/testing'
import { type ApiServer, startApiServer } from '@cni/kube/testing'
import { tempNetns } from '@cni/netns/testing'
import { type AckingZtunnel, ackingZtunnel } from './acking-ztunnel.ts'
import type { Agent } from './agent-place.ts'
import { type AmbientPlace, ambientPlace } from './ambient-place.ts'
import { type BenchPod, makePods, NODE, statusOf, tell } from './ambient-pods.ts'

/** An agent in ambient mode with its own simulated node, API server and pods. */
export interface AmbientLife {
  readonly name: string
  readonly api: ApiServer
  readonly pods: readonly BenchPod[]
  readonly place: AmbientPlace
}

const MOST_MS = 120_000

/** Creates a simulated node with pods of which no agent knows yet. Does not start the agent. */
export async function ambientLife(stack: AsyncDisposableStack, agent: Agent, count: number): Promise<AmbientLife> {
  const node = stack.use(await tempNetns())
  const pods = await makePods(agent.name, count)
  for (const { netns } of pods) stack.use(netns)
  const api = stack.use(await startApiServer({ netns: node, grants: ambientGrants, namespaces: { mesh: {} } }))
  api.setDaemonSet('istio-system', 'istio-cni-node', {})
  api.setNode(NODE, {})
  const place = stack.use(ambientPlace(agent, node, api))
  place.show([])
  return { name: agent.name, api, pods, place }
}

/** Starts the agent with a stand-in for ztunnel and measures the start. */
export async function started({
  place,
}: AmbientLife): Promise<{ readyMs: number; toldMs: number; ztunnel: AckingZtunnel }> {
  const began = performance.now()
  place.start()
  const ztunnel = await connected(place.ztunnelSocket, began)
  const toldMs = performance.now() - began
  await until(() => place.isReady(), 'the agent is ready')
  return { readyMs: performance.now() - began, toldMs, ztunnel }
}

/** Changes a pod's mesh label. Returns the milliseconds until the agent updates the pod's annotation. */
export async function relabelled({ api }: AmbientLife, pod: BenchPod, mesh: boolean): Promise<number> {
  const began = performance.now()
  tell(api, pod, { mesh, runs: true })
  await until(() => statusOf(api, pod) === (mesh ? 'enabled' : undefined), `${pod.name} is ${mesh ? 'in' : 'out'}`)
  return performance.now() - began
}

/** Checks `condition` every millisecond until it is true. Throws after the time limit. */
export async function until(condition: () => boolean | Promise<boolean>, what: string): Promise<void> {
  const deadline = performance.now() + MOST_MS
  while (!(await condition())) {
    if (performance.now() > deadline) throw new Error(`${what}: not within ${MOST_MS} ms`)
    await sleep(1)
  }
}

// internal

/** Connects a stand-in for ztunnel to the agent's socket. Retries until the agent listens. */
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
