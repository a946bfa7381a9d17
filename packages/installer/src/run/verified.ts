import type { BigIntStats } from 'node:fs'

/**
 * A file may be written twice within one tick of the clock that stamps it, so a pair counts as equal for good only when
 * a second comparison, this much later, found the same stamps. Their values mean nothing: that clock may jump.
 */
const SETTLE_MS = 50

/** Remembers which pairs of large files were found equal, so that an idle look costs two `stat` calls. */
export interface VerifiedFiles {
  /** Whether the pair is known to be equal. */
  isKnown(target: string, sourceStat: BigIntStats, targetStat: BigIntStats, now: number): boolean
  /** The pair was equal, as compared or copied. */
  add(target: string, sourceStat: BigIntStats, targetStat: BigIntStats, now: number): void
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
    add(target, sourceStat, targetStat, now) {
      const next = key(sourceStat, targetStat)
      const one = seen.get(target)
      seen.set(target, { key: next, since: now, settled: one?.key === next && now - one.since >= SETTLE_MS })
    },
  }
}

function key(...stats: readonly BigIntStats[]): string {
  return stats.map(({ dev, ino, size, mtimeNs, ctimeNs }) => `${dev}:${ino}:${size}:${mtimeNs}:${ctimeNs}`).join(' ')
}
