/** Two rewrites of a file within this number of milliseconds count as a conflict with another program. */
const QUARREL_MS = 5000

/**
 * Number of times that the installer restores a changed file without a delay. Later restores come at most once in
 * `gapMs` milliseconds.
 */
const BURST = 3

/** Rate limit for restoring each file that another program changes. Uses a monotonic clock. */
export interface HealLimit {
  /**
   * Returns 0 and counts the write if the file may be written now. Otherwise returns the milliseconds to wait. The
   * first installation of a file does not count.
   */
  take(path: string, now: number, isHeal: boolean): number
  /** Number of rewrites of a file in quick succession. */
  streak(path: string): number
}

/**
 * Creates a rate limit for restoring a file. The first three writes come at once, then one per `gapMs`. After a time
 * without changes, three immediate writes are possible again.
 */
export function healLimit(gapMs: number): HealLimit {
  const last = new Map<string, { at: number; streak: number; spare: number }>()
  return {
    take(path, now, isHeal) {
      const one = last.get(path)
      const full = BURST * gapMs
      const atFirst = isHeal ? full : full + gapMs
      const spare = one === undefined ? atFirst : Math.min(one.spare + now - one.at, full)
      if (spare < gapMs) return gapMs - spare
      const streak = one !== undefined && now - one.at < QUARREL_MS ? one.streak + 1 : 0
      last.set(path, { at: now, streak, spare: spare - gapMs })
      return 0
    },
    streak: (path) => last.get(path)?.streak ?? 0,
  }
}
