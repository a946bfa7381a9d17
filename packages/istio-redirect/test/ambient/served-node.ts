import { expect, vi } from 'vitest'
import type { AmbientConfig } from '../../src/agent/config/ambient-config.ts'
import { meshNode, type TestPod } from './mesh-node.ts'
import type { RecordingZtunnel } from './recording-ztunnel.ts'

/** Timeout of a test's waits for a condition, in milliseconds. */
export const pollOptions = { timeout: 20_000 }

// Helpers wait with `vi.waitFor`, because they cannot use the `expect` of a concurrent test.

/** Waits until the agent's ambient mode reports no problem. */
export const ready = (agent: { problem(): string | undefined }) =>
  vi.waitFor(() => expect(agent.problem()).toBeUndefined(), pollOptions)

/** Waits until the ztunnel stand-in has received the agent's whole snapshot. */
export const joined = (ztunnel: RecordingZtunnel) =>
  vi.waitFor(() => expect(ztunnel.told).toContain('snapshotSent'), pollOptions)

/** Waits until a pod's redirection annotation has the given value. */
export const annotated = (pod: TestPod, value: string | undefined) =>
  vi.waitFor(() => expect(pod.annotation()).toBe(value), pollOptions)

/** Lists the expected entries of the node's sets for kubelet's probes: `address uid` per pod address. */
export const entriesOfPods = (...pods: readonly TestPod[]): string[] =>
  pods.flatMap(({ uid, addresses }) => addresses.map((address) => `${address} ${uid}`)).toSorted()

/** Starts a test node with a ready agent and a connected ztunnel stand-in. */
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
