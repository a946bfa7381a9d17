import { setTimeout as sleep } from 'node:timers/promises'
import { ambientGrants } from '@cni/istio-redirect/testing'
import type { Agent } from '../agent/measured-agents.ts'
import { until } from '../until.ts'
import { type AckingZtunnel, ackingZtunnel } from './acking-ztunnel.ts'
import { type AmbientNode, ambientNode } from './ambient-node.ts'
import { type BenchPod, makePods, publishPod, statusOf } from './ambient-pods.ts'

/** An agent in ambient mode with its own simulated node and pods. */
export interface AmbientLife {
  readonly name: string
  readonly pods: readonly BenchPod[]
  readonly node: AmbientNode
}

/** Time limit of a measured change, and the interval of its checks, in milliseconds. */
const MEASURED = { limit: 120_000, every: 1 }

/** Creates a simulated node with pods of which no agent knows yet. Does not start the agent. */
export async function ambientLife(stack: AsyncDisposableStack, agent: Agent, count: number): Promise<AmbientLife> {
  const pods = await makePods(agent.name, count)
  for (const { netns } of pods) stack.use(netns)
  return { name: agent.name, pods, node: await ambientNode(stack, agent, { grants: ambientGrants }) }
}

/** Starts the agent with a stand-in for ztunnel and measures the start. */
export async function started({
  node,
}: AmbientLife): Promise<{ readyMs: number; notifiedMs: number; ztunnel: AckingZtunnel }> {
  const began = performance.now()
  node.start()
  const ztunnel = await connected(node.ztunnelSocket, began)
  const notifiedMs = performance.now() - began
  await until(() => node.isReady(), 'the agent is ready', MEASURED)
  return { readyMs: performance.now() - began, notifiedMs, ztunnel }
}

/** Changes a pod's mesh label. Returns the milliseconds until the agent updates the pod's annotation. */
export async function relabelled({ node: { api } }: AmbientLife, pod: BenchPod, mesh: boolean): Promise<number> {
  const began = performance.now()
  publishPod(api, pod, { mesh, runs: true })
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
