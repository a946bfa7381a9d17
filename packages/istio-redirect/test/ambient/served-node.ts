import { expect, vi } from 'vitest'
import type { AmbientConfig } from '../../src/agent/config/ambient-config.ts'
import { meshNode, type TestPod } from './mesh-node.ts'
import type { RecordingZtunnel } from './recording-ztunnel.ts'

/** How long a test waits for what has to come. */
export const patience = { timeout: 20_000 }

// Tests that run together have no `expect.poll` but their own.

/** Waits until an agent works. */
export const ready = (agent: { problem(): string | undefined }) =>
  vi.waitFor(() => expect(agent.problem()).toBeUndefined(), patience)

/** Waits until a ztunnel was told of all pods. */
export const joined = (ztunnel: RecordingZtunnel) =>
  vi.waitFor(() => expect(ztunnel.told).toContain('snapshotSent'), patience)

/** Waits until the annotation of a pod says this. */
export const annotated = (pod: TestPod, value: string | undefined) =>
  vi.waitFor(() => expect(pod.annotation()).toBe(value), patience)

/** What a node's sets hold of pods, as `address uid`. */
export const entriesOfPods = (...pods: readonly TestPod[]): string[] =>
  pods.flatMap(({ uid, addresses }) => addresses.map((address) => `${address} ${uid}`)).toSorted()

/** A node with an agent that works, and a ztunnel that has joined it. */
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
