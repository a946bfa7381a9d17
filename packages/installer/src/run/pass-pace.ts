/** Minimum time between two passes. Longer if another program writes continuously. */
const GAP_MS = 4
const BUSY_GAP_MS = 25

/** Pauses after passes, so that continuous events do not use a whole processor. */
export interface PassPace {
  /** Records a pass, and returns the pause after it. `now` is the time of a monotonic clock. */
  gapAfter(now: number): number
}

/** Creates a pace. The first five passes within a second have no pause. */
export function newPassPace(): PassPace {
  const lastSecond: number[] = []
  return {
    gapAfter(now) {
      lastSecond.push(now)
      while ((lastSecond[0] ?? now) < now - 1000) lastSecond.shift()
      return lastSecond.length > 50 ? BUSY_GAP_MS : lastSecond.length > 5 ? GAP_MS : 0
    },
  }
}
