/** Rewrites closer together than this come from a quarrel, not from chance. */
const QUARREL_MS = 5000

/** Spaces the rewrites of each file, on a monotonic clock. */
export interface Throttle {
  /** 0 when the file may be rewritten now, which counts as done; else how many milliseconds to wait. */
  take(path: string, now: number): number
  /** How many rewrites of a file followed each other closely. */
  streak(path: string): number
}

/** The first rewrite at once, later ones at least `gapMs` apart. */
export function throttle(gapMs: number): Throttle {
  const last = new Map<string, { at: number; streak: number }>()
  return {
    take(path, now) {
      const one = last.get(path)
      const wait = one === undefined ? 0 : one.at + gapMs - now
      if (wait > 0) return wait
      const streak = one !== undefined && now - one.at < QUARREL_MS ? one.streak + 1 : 0
      last.set(path, { at: now, streak })
      return 0
    },
    streak: (path) => last.get(path)?.streak ?? 0,
  }
}
