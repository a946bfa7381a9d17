import { setTimeout as sleep } from 'node:timers/promises'
import { ambientGrants } from '@cni/istio-redirect/testing'
import { type ApiServer, startApiServer } from '@cni/kube/testing'
import { tempNetns } from '@cni/netns/testing'
import { type AckingZtunnel, ackingZtunnel } from './acking-ztunnel.ts'
import type { Agent } from './agent-place.ts'
import { type AmbientPlace, ambientPlace } from './ambient-place.ts'
import { type BenchPod, makePods, NODE, statusOf, tell } from './ambient-pods.ts'

/** An agent on a node of its own: it can live beside another one. */
export interface AmbientLife {
  readonly name: string
  readonly api: ApiServer
  readonly pods: readonly BenchPod[]
  readonly place: AmbientPlace
}

const MOST_MS = 120_000

/** A node with pods that nobody has told of yet, where no agent runs. */
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

/** Starts the agent; how long it took until ztunnel was told of all pods, and until it was ready as well. */
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

/** Changes the label of a pod that runs; how long it took until its annotation said that it is in the mesh, or out. */
export async function relabelled({ api }: AmbientLife, pod: BenchPod, mesh: boolean): Promise<number> {
  const began = performance.now()
  tell(api, pod, { mesh, runs: true })
  await until(() => statusOf(api, pod) === (mesh ? 'enabled' : undefined), `${pod.name} is ${mesh ? 'in' : 'out'}`)
  return performance.now() - began
}

/** Waits for it, looking every millisecond. */
export async function until(condition: () => boolean | Promise<boolean>, what: string): Promise<void> {
  const deadline = performance.now() + MOST_MS
  while (!(await condition())) {
    if (performance.now() > deadline) throw new Error(`${what}: not within ${MOST_MS} ms`)
    await sleep(1)
  }
}

// internal

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
