/** The least time between two passes; more when somebody writes without a pause. */
const GAP_MS = 4
const BUSY_GAP_MS = 25

/** How long to pause after each pass, so that events without end do not take the whole processor. */
export interface PassPace {
  /** Notes a pass; returns the pause that is due after it. `now` is of a monotonic clock. */
  gapAfter(now: number): number
}

/** No pass yet: the first few follow each other at once. */
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
