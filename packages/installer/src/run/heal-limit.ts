/** Two rewrites of a file within this number of milliseconds count as a conflict with another program. */
const CONFLICT_MS = 5000

/** Number of times that the installer restores a changed file without a delay. */
const BURST = 3

/** Rate limit for restoring each file that another program changes. Uses a monotonic clock. */
export interface HealLimit {
  /** Returns the milliseconds to wait before writing a file. 0 permits the write, which then counts. */
  take(path: string, now: number, isHeal: boolean): number
  /** Number of rewrites of a file in quick succession. */
  streak(path: string): number
}

/** Creates a rate limit for restoring a file that another program keeps changing. */
export function healLimit(gapMs: number): HealLimit {
  const last = new Map<string, { at: number; streak: number; spare: number }>()
  return {
    take(path, now, isHeal) {
      const one = last.get(path)
      const full = BURST * gapMs
      const atFirst = isHeal ? full : full + gapMs
      const spare = one === undefined ? atFirst : Math.min(one.spare + now - one.at, full)
      if (spare < gapMs) return gapMs - spare
      const streak = one !== undefined && now - one.at < CONFLICT_MS ? one.streak + 1 : 0
      last.set(path, { at: now, streak, spare: spare - gapMs })
      return 0
    },
    streak: (path) => last.get(path)?.streak ?? 0,
  }
}
