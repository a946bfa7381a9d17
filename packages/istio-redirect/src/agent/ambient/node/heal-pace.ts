/** Spaces what is put right again and again, so that nobody is fought without end. */
export interface HealPace {
  /** How long to wait before the next time, in milliseconds: 0 unless it was needed several times lately. Counts as done. */
  next(): number
}

/** Heals of what was left alone for a while that follow each other at once. */
const BURST = 5
const FIRST_PAUSE_MS = 1000
const LONGEST_PAUSE_MS = 30_000
/** After so long without a heal all is forgotten. */
const QUIET_MS = 60_000

/** The first five at once, then 1 s, 2 s, 4 s … up to 30 s apart, until nothing was to be done for a minute. */
export function healPace(now: () => number = () => performance.now()): HealPace {
  let streak = 0
  let last = Number.NEGATIVE_INFINITY
  return {
    next() {
      const at = now()
      streak = at - last > QUIET_MS ? 1 : streak + 1
      const pause = streak <= BURST ? 0 : Math.min(FIRST_PAUSE_MS * 2 ** (streak - BURST - 1), LONGEST_PAUSE_MS)
      last = at + pause
      return pause
    },
  }
}
