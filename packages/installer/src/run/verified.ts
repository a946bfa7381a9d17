import type { BigIntStats } from 'node:fs'

/**
 * Milliseconds after which a new write certainly changes a file's timestamps. An earlier write may fall into the same
 * clock tick.
 */
const SETTLE_MS = 50
/** Milliseconds of one tick on file systems with timestamps of one or two seconds. */
const COARSE_MS = 2000

/** Time when an installed file and its source were equal. */
export interface Instant {
  /** Time of the monotonic clock when two files were equal, in milliseconds. */
  readonly now: number
  /** Time of the wall clock when two files were equal, in milliseconds since 1970. File timestamps use this clock. */
  readonly foundAt: number
}

export const instant = (): Instant => ({ now: performance.now(), foundAt: Date.now() })

/** Remembers which installed binaries equal their source. Checking an unchanged binary needs only two `stat` calls. */
export interface VerifiedFiles {
  /** True if an installed file is known to equal its source. */
  isKnown(target: string, sourceStat: BigIntStats, targetStat: BigIntStats, now: number): boolean
  /** Records that an installed file equals its source, after comparing or copying both. */
  add(target: string, sourceStat: BigIntStats, targetStat: BigIntStats, at: Instant): void
}

/** Creates the record of verified binaries, empty at first. */
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
      // Files with old timestamps need no second comparison. A comparison would fill the container's page cache.
      const settled = isSecond || (isOld(sourceStat, foundAt) && isOld(targetStat, foundAt))
      seen.set(target, { key: next, since: now, settled })
    },
  }
}

/** True if a write at the time `at` would have changed the file's mtime. */
function isOld({ mtimeNs }: BigIntStats, at: number): boolean {
  const tick = mtimeNs % 1_000_000_000n === 0n ? COARSE_MS : 0
  return at - Number(mtimeNs / 1_000_000n) > tick + SETTLE_MS
}

function key(...stats: readonly BigIntStats[]): string {
  return stats.map(({ dev, ino, size, mtimeNs, ctimeNs }) => `${dev}:${ino}:${size}:${mtimeNs}:${ctimeNs}`).join(' ')
}
