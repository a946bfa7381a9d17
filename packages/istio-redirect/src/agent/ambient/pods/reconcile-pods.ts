import { setImmediate as breathe } from 'node:timers/promises'
import { pause } from '../../../pause.ts'
import type { MeshReconciler } from './mesh-reconciler.ts'

/** Options of {@link reconcilePods}, which checks and repairs pods in rounds. */
export interface ReconcilePodsOptions {
  readonly signal: AbortSignal
  /** Minimal duration in milliseconds of a round in which the agent checks all pods. */
  readonly roundMs: number
}

/** Checks and repairs all pods in rounds, because listening would cost kernel memory per pod. */
export async function reconcilePods(pods: MeshReconciler, { signal, roundMs }: ReconcilePodsOptions): Promise<void> {
  for (let round = 1; !signal.aborted; round += 1) {
    const ends = performance.now() + roundMs
    await pods.compare()
    const uids = pods.enrolled()
    await breathe()
    for (const [at, uid] of uids.entries()) {
      // Ignores a rejection, because `heal` rejects only while the agent is stopping.
      await pods.heal(uid).catch(() => {})
      // Yields after each pod, because ztunnel and plugins wait during a check.
      await breathe()
      const left = ends - performance.now()
      // Runs the first round without pauses, because changes before the agent's start are unknown.
      if (round > 1) await pause(Math.max(left / (uids.length - at), 0), signal)
      if (signal.aborted) return
    }
    await pause(Math.max(ends - performance.now(), 0), signal)
    // Retries the pods whose enrolment waits or failed, because the cause may have disappeared.
    pods.enqueuePending()
  }
}
