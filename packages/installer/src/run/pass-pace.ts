/** Milliseconds between two checks of all files, after more than five checks within a second. */
const GAP_MS = 4
const BUSY_GAP_MS = 25

/**
 * Pauses between the installer's checks of all files. Without pauses, continuous file events would use a whole
 * processor.
 */
export interface PassPace {
  /** Records a check of all files, and returns the pause after it. */
  gapAfter(now: number): number
}

/** Creates the rule for pauses between the installer's checks. Short bursts of checks get no pause. */
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
