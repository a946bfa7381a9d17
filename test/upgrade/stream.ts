import { setTimeout as delay } from 'node:timers/promises'
import type { Pods } from './pod-life.ts'

const LANES = 3

/** Adds, checks and deletes pods continuously during an upgrade. Every fourth pod is outside the mesh. */
export function streamOf(pods: Pods) {
  let isOver = false
  let count = 0
  const lane = async (): Promise<void> => {
    while (!isOver) {
      const index = count++
      await using pod = await pods.add(`pod-${index}`, index % 4 !== 3)
      await pods.check(pod)
      // A fifth of the pods lives longer, because some pods have to outlive the agent that served their ADD.
      await delay(index % 5 === 0 ? 1500 : Math.random() * 100)
      await pods.check(pod)
      await pods.del(pod, index % 2 === 0 ? 'list' : 'cache')
    }
  }
  const all = Array.from({ length: LANES }, lane)
  const lanes = Promise.all(all)
  // Adds no more pods after a failure. `stop` reports the failure.
  lanes.catch(() => {
    isOver = true
  })
  return {
    /** Adds no more pods, and waits for the existing pods. */
    async stop() {
      isOver = true
      await lanes
    },
    // Also after a failure, the remaining pods have to end before the test removes the node.
    async [Symbol.asyncDispose]() {
      isOver = true
      await Promise.allSettled(all)
    },
  }
}
