import type { BigIntStats } from 'node:fs'

/**
 * A file may be written twice within one tick of the clock that stamps it, so a pair counts as equal for good only when
 * what was last written to both was this old as they were found equal, or a second comparison, this much later, found the
 * same stamps. A clock that jumps back makes a file look young, which costs the second comparison and nothing else.
 */
const SETTLE_MS = 50
/** The tick of file systems that stamp whole seconds, or two of them. */
const COARSE_MS = 2000

/** When a pair was known to be equal: as a comparison began, or a copy had got its name. */
export interface Instant {
  /** By the clock that never jumps. */
  readonly now: number
  /** By the one that stamps files, in milliseconds since 1970. */
  readonly foundAt: number
}

export const instant = (): Instant => ({ now: performance.now(), foundAt: Date.now() })

/** Remembers which pairs of large files were found equal, so that an idle look costs two `stat` calls. */
export interface VerifiedFiles {
  /** Whether the pair is known to be equal. */
  isKnown(target: string, sourceStat: BigIntStats, targetStat: BigIntStats, now: number): boolean
  /** The pair was equal, as compared or copied. */
  add(target: string, sourceStat: BigIntStats, targetStat: BigIntStats, at: Instant): void
}

/** An empty memory. */
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
      // Large files that were compared are in the page cache, which is charged to us: not twice without need.
      const settled = isSecond || (isOld(sourceStat, foundAt) && isOld(targetStat, foundAt))
      seen.set(target, { key: next, since: now, settled })
    },
  }
}

/** Whether another write at that time would have given the file another stamp. */
function isOld({ mtimeNs }: BigIntStats, at: number): boolean {
  const tick = mtimeNs % 1_000_000_000n === 0n ? COARSE_MS : 0
  return at - Number(mtimeNs / 1_000_000n) > tick + SETTLE_MS
}

function key(...stats: readonly BigIntStats[]): string {
  return stats.map(({ dev, ino, size, mtimeNs, ctimeNs }) => `${dev}:${ino}:${size}:${mtimeNs}:${ctimeNs}`).join(' ')
}
