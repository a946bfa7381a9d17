import { setTimeout as delay } from 'node:timers/promises'
import type { Pods } from './pod-life.ts'

const LANES = 3

/** Pods that come, are checked and go until it is stopped. Every fourth is outside the mesh. */
export interface Stream extends AsyncDisposable {
  /** Lets the pods that are there end; rejects with what was wrong with any. Returns how many there were. */
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
      // Some outlive the agent that they were added under.
      await delay(index % 5 === 0 ? 1500 : Math.random() * 100)
      await pods.check(pod)
      await pods.del(pod, index % 2 === 0 ? 'list' : 'cache')
    }
  }
  const all = Array.from({ length: LANES }, lane)
  const lanes = Promise.all(all)
  // The failure is told when the stream is stopped.
  lanes.catch(() => {
    isOver = true
  })
  return {
    async stop() {
      isOver = true
      await lanes
      return count
    },
    // After a failure: nothing may work on the node when it is removed.
    async [Symbol.asyncDispose]() {
      isOver = true
      await Promise.allSettled(all)
    },
  }
}
