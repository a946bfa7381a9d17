import { expect, vi } from 'vitest'
import type { AmbientConfig } from '../../src/agent/config/ambient-config.ts'
import { meshNode, type TestPod } from './mesh-node.ts'
import type { RecordingZtunnel } from './recording-ztunnel.ts'

/** Timeout of conditions that have to come true. */
export const patience = { timeout: 20_000 }

// Concurrent tests need their own `expect`; these helpers use `vi.waitFor`.

/** Waits until an agent reports no problem. */
export const ready = (agent: { problem(): string | undefined }) =>
  vi.waitFor(() => expect(agent.problem()).toBeUndefined(), patience)

/** Waits until a ztunnel has received all pods. */
export const joined = (ztunnel: RecordingZtunnel) =>
  vi.waitFor(() => expect(ztunnel.told).toContain('snapshotSent'), patience)

/** Waits until the annotation of a pod has this value. */
export const annotated = (pod: TestPod, value: string | undefined) =>
  vi.waitFor(() => expect(pod.annotation()).toBe(value), patience)

/** Expected entries of a node's sets for these pods, as `address uid`. */
export const entriesOfPods = (...pods: readonly TestPod[]): string[] =>
  pods.flatMap(({ uid, addresses }) => addresses.map((address) => `${address} ${uid}`)).toSorted()

/** Starts a node with a working agent and a connected ztunnel. */
export async function servedNode(config: Partial<AmbientConfig> = {}) {
  await using stack = new AsyncDisposableStack()
  const node = stack.use(await meshNode(config))
  const agent = await node.start()
  const ztunnel = node.ztunnel()
  await ready(agent)
  await joined(ztunnel)
  const all = stack.move()
  return { node, agent, ztunnel, [Symbol.asyncDispose]: () => all.disposeAsync() }
}
