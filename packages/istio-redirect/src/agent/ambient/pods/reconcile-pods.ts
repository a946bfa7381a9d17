import { setImmediate as breathe, setTimeout as sleep } from 'node:timers/promises'
import type { MeshReconciler } from './mesh-reconciler.ts'

/** How the rules of pods are kept. */
export interface ReconcilePodsOptions {
  readonly signal: AbortSignal
  /** How long a round takes at least, in milliseconds. */
  readonly roundMs: number
}

/**
 * Compares the namespaces of all pods in the mesh with those on the node, then looks at the rules of one pod after the other, until the
 * signal, and has put right what differs: at once after the start, then in rounds that are spread over their time. A socket in each pod would tell sooner, but cost a
 * descriptor and the kernel's memory for every one of them.
 */
export async function reconcilePods(pods: MeshReconciler, { signal, roundMs }: ReconcilePodsOptions): Promise<void> {
  for (let round = 1; !signal.aborted; round += 1) {
    const ends = performance.now() + roundMs
    await pods.compare()
    const uids = pods.enrolled()
    await breathe()
    for (const [at, uid] of uids.entries()) {
      await pods.heal(uid).catch(() => {}) // the agent ends
      // To look takes milliseconds in which nothing else happens: ztunnel and plugins come first.
      await breathe()
      const left = ends - performance.now()
      // The first time without a pause: nobody knows what happened before.
      if (round > 1) await pause(Math.max(left / (uids.length - at), 0), signal)
      if (signal.aborted) return
    }
    await pause(Math.max(ends - performance.now(), 0), signal)
    // Whatever kept a pod from being enrolled for good may be over.
    pods.lookAtPending()
  }
}

// internal

/** Waits; the signal ends it. */
const pause = (ms: number, signal: AbortSignal): Promise<void> => sleep(ms, undefined, { signal }).catch(() => {})
