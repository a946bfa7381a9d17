/** Backoff between repairs, in case another program undoes the repairs again and again. */
export interface RepairBackoff {
  /** Counts a repair. Returns the pause in milliseconds before this repair. */
  next(): number
}

/** Number of repairs of rules or sets in a row that run without a pause. */
const BURST = 5
const FIRST_PAUSE_MS = 1000
const MAX_PAUSE_MS = 30_000
/** Time in milliseconds without repairs after which the backoff restarts. */
const QUIET_MS = 60_000

/** Creates the backoff between repairs. A minute without repairs resets the backoff. */
export function repairBackoff(now: () => number = () => performance.now()): RepairBackoff {
  let streak = 0
  let last = Number.NEGATIVE_INFINITY
  return {
    next() {
      const at = now()
      streak = at - last > QUIET_MS ? 1 : streak + 1
      const pause = streak <= BURST ? 0 : Math.min(FIRST_PAUSE_MS * 2 ** (streak - BURST - 1), MAX_PAUSE_MS)
      last = at + pause
      return pause
    },
  }
}
