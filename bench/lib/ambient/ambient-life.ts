import { setTimeout as sleep } from 'node:timers/promises'
import { ambientGrants } from '@cni/istio-redirect/testing'
import type { Agent } from '../agent/measured-agents.ts'
import { until } from '../until.ts'
import { type AckingZtunnel, ackingZtunnel } from './acking-ztunnel.ts'
import { type AmbientPlace, ambientPlace } from './ambient-place.ts'
import { type BenchPod, makePods, statusOf, tell } from './ambient-pods.ts'

/** An agent in ambient mode with its own simulated node and pods. */
export interface AmbientLife {
  readonly name: string
  readonly pods: readonly BenchPod[]
  readonly place: AmbientPlace
}

/** Time limit of a measured change, and the interval of its checks, in milliseconds. */
const MEASURED = { limit: 120_000, every: 1 }

/** Creates a simulated node with pods of which no agent knows yet. Does not start the agent. */
export async function ambientLife(stack: AsyncDisposableStack, agent: Agent, count: number): Promise<AmbientLife> {
  const pods = await makePods(agent.name, count)
  for (const { netns } of pods) stack.use(netns)
  return { name: agent.name, pods, place: await ambientPlace(stack, agent, { grants: ambientGrants }) }
}

/** Starts the agent with a stand-in for ztunnel and measures the start. */
export async function started({
  place,
}: AmbientLife): Promise<{ readyMs: number; toldMs: number; ztunnel: AckingZtunnel }> {
  const began = performance.now()
  place.start()
  const ztunnel = await connected(place.ztunnelSocket, began)
  const toldMs = performance.now() - began
  await until(() => place.isReady(), 'the agent is ready', MEASURED)
  return { readyMs: performance.now() - began, toldMs, ztunnel }
}

/** Changes a pod's mesh label. Returns the milliseconds until the agent updates the pod's annotation. */
export async function relabelled({ place: { api } }: AmbientLife, pod: BenchPod, mesh: boolean): Promise<number> {
  const began = performance.now()
  tell(api, pod, { mesh, runs: true })
  const isDone = () => statusOf(api, pod) === (mesh ? 'enabled' : undefined)
  await until(isDone, `${pod.name} is ${mesh ? 'in' : 'out'}`, MEASURED)
  return performance.now() - began
}

// internal

/** Connects a stand-in for ztunnel to the agent's socket. Retries until the agent listens. */
async function connected(path: string, began: number): Promise<AckingZtunnel> {
  for (;;) {
    try {
      return await ackingZtunnel(path)
    } catch (error) {
      if (performance.now() - began > MEASURED.limit) throw error
      await sleep(5)
    }
  }
}
