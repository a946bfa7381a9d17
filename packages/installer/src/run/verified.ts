import type { BigIntStats } from 'node:fs'

/**
 * Milliseconds until a comparison is reliable. Two writes within one tick of the file system's clock have the same
 * timestamp.
 * A pair counts as equal for good in two cases:
 * - the last writes to both files were older than this.
 * - a second comparison after this time found the same timestamps.
 *
 * If the clock jumps back, only the second comparison is needed.
 */
const SETTLE_MS = 50
/** Tick of file systems with timestamps of one or two seconds. */
const COARSE_MS = 2000

/** Time when a pair was equal: at the start of a comparison, or after a copy was renamed. */
export interface Instant {
  /** Time of the monotonic clock. */
  readonly now: number
  /** Time of the clock for timestamps, in milliseconds since 1970. */
  readonly foundAt: number
}

export const instant = (): Instant => ({ now: performance.now(), foundAt: Date.now() })

/** Remembers pairs of large files that were equal, so that an idle check needs only two `stat` calls. */
export interface VerifiedFiles {
  /** True if the pair is known to be equal. */
  isKnown(target: string, sourceStat: BigIntStats, targetStat: BigIntStats, now: number): boolean
  /** Records that the pair was equal, compared or copied. */
  add(target: string, sourceStat: BigIntStats, targetStat: BigIntStats, at: Instant): void
}

/** Creates an empty memory. */
export function verifiedFiles(): VerifiedFiles {
  const seen = new Map<string, { key: string; since: number; settled: boolean }>()
  return {
    isKnown(target, sourceStat, targetStat, now) {
      const one = seen.get(target)
      if (one === undefined || one.key !== key(sourceStat, targetStat)) return false
      return one.settled || now - one.since < SETTLE_MS
    },
    add(target, sourceStat, targetStat, { now, foundAt }) {
      const next = key(sourceStat, targetStat)
      const one = seen.get(target)
      const isSecond = one?.key === next && now - one.since >= SETTLE_MS
      // Comparing large files fills the page cache, which counts towards this process's memory. Avoids a second
      // comparison.
      const settled = isSecond || (isOld(sourceStat, foundAt) && isOld(targetStat, foundAt))
      seen.set(target, { key: next, since: now, settled })
    },
  }
}

/** True if another write at that time would have given the file another timestamp. */
function isOld({ mtimeNs }: BigIntStats, at: number): boolean {
  const tick = mtimeNs % 1_000_000_000n === 0n ? COARSE_MS : 0
  return at - Number(mtimeNs / 1_000_000n) > tick + SETTLE_MS
}

function key(...stats: readonly BigIntStats[]): string {
  return stats.map(({ dev, ino, size, mtimeNs, ctimeNs }) => `${dev}:${ino}:${size}:${mtimeNs}:${ctimeNs}`).join(' ')
}
