import { setTimeout as delay } from 'node:timers/promises'
import type { Pods } from './pod-life.ts'

const LANES = 3

/** Pods that are added, checked and deleted continuously. Every fourth pod is outside the mesh. */
export interface Stream extends AsyncDisposable {
  /** Waits for the end of the remaining pods. Rejects with the faults of any pod. Returns the number of pods. */
  stop(): Promise<number>
}

export function streamOf(pods: Pods, name: string): Stream {
  let isOver = false
  let count = 0
  const lane = async (): Promise<void> => {
    while (!isOver) {
      const index = count++
      await using pod = await pods.add(`${name}-${index}`, index % 4 !== 3)
      await pods.check(pod)
      // Some pods outlive the agent of their ADD.
      await delay(index % 5 === 0 ? 1500 : Math.random() * 100)
      await pods.check(pod)
      await pods.del(pod, index % 2 === 0 ? 'list' : 'cache')
    }
  }
  const all = Array.from({ length: LANES }, lane)
  const lanes = Promise.all(all)
  // `stop` reports the failure.
  lanes.catch(() => {
    isOver = true
  })
  return {
    async stop() {
      isOver = true
      await lanes
      return count
    },
    // After a failure the pods still have to end before the node is removed.
    async [Symbol.asyncDispose]() {
      isOver = true
      await Promise.allSettled(all)
    },
  }
}
