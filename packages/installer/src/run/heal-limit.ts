/** Rewrites closer together than this come from a quarrel, not from chance. */
const QUARREL_MS = 5000

/** So many heals of a file that was left alone for a while follow each other at once. */
const BURST = 3

/** Spaces the rewrites of each file, on a monotonic clock. */
export interface HealLimit {
  /**
   * 0 when the file may be written now, which counts as done; else how many milliseconds to wait. The first installation
   * is no heal, and takes nothing from those that follow.
   */
  take(path: string, now: number, isHeal: boolean): number
  /** How many rewrites of a file followed each other closely. */
  streak(path: string): number
}

/** The first three heals at once; from then on each needs `gapMs`, which may have been saved up before. */
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
