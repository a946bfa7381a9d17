import { setImmediate as breathe, setTimeout as sleep } from 'node:timers/promises'
import type { MeshReconciler } from './mesh-reconciler.ts'

/** Options of {@link reconcilePods}. */
export interface ReconcilePodsOptions {
  readonly signal: AbortSignal
  /** Minimal duration of a round, in milliseconds. */
  readonly roundMs: number
}

/**
 * Checks and repairs all pods in the mesh in rounds until the signal aborts. Each round compares the namespaces with
 * the node, then checks the rules of one pod after another.
 *
 * The first round runs at once, and later rounds are spread over their time. The agent does not listen for changes in
 * each pod: this would need a descriptor and kernel memory per pod.
 */
export async function reconcilePods(pods: MeshReconciler, { signal, roundMs }: ReconcilePodsOptions): Promise<void> {
  for (let round = 1; !signal.aborted; round += 1) {
    const ends = performance.now() + roundMs
    await pods.compare()
    const uids = pods.enrolled()
    await breathe()
    for (const [at, uid] of uids.entries()) {
      await pods.heal(uid).catch(() => {}) // the agent stops
      // A check blocks the thread for milliseconds. Yields so that ztunnel and plugins are served first.
      await breathe()
      const left = ends - performance.now()
      // The first round has no pauses, as changes before the agent's start are unknown.
      if (round > 1) await pause(Math.max(left / (uids.length - at), 0), signal)
      if (signal.aborted) return
    }
    await pause(Math.max(ends - performance.now(), 0), signal)
    // Retries pending pods, because the cause may have disappeared.
    pods.lookAtPending()
  }
}

// internal

/** Waits, at most until the signal aborts. */
const pause = (ms: number, signal: AbortSignal): Promise<void> => sleep(ms, undefined, { signal }).catch(() => {})
