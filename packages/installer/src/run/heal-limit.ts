/** Milliseconds between rewrites that suggest a competing program. */
const QUARREL_MS = 5000

/** Number of immediate heals of a file after a pause. */
const BURST = 3

/** Rate limit for rewrites of each file, by a monotonic clock. */
export interface HealLimit {
  /**
   * Returns 0 and counts a write if the file may be written now, else the milliseconds to wait. The first installation
   * does not count as a heal.
   */
  take(path: string, now: number, isHeal: boolean): number
  /** Number of rewrites of a file in quick succession. */
  streak(path: string): number
}

/** Creates a limit: three immediate heals, then one per `gapMs`. Unused time is saved up. */
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
