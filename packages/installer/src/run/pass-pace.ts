/** Milliseconds between two passes of the installer after more than five passes within a second. */
const GAP_MS = 4
const BUSY_GAP_MS = 25

/** Pauses between passes of the installer, so that continuous file events do not use a whole processor. */
export interface PassPace {
  /** Records a pass of the installer, and returns the pause after it. `now` is the time of a monotonic clock. */
  gapAfter(now: number): number
}

/** Creates the pauses between passes of the installer. The first five passes within a second have no pause. */
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
