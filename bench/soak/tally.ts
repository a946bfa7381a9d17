import { say } from '../../scripts/lib/progress.ts'
import { percentile } from '../lib/statistics.ts'

/** What was done, what it took, and what went wrong. */
export interface Tally {
  /** It was done, and took so long. */
  took(what: string, ms: number): void
  /** It failed while something it needs was restarted or damaged, and is done again. */
  failed(what: string): void
  /** It must not happen. */
  wrong(text: string): void
  readonly wrongs: readonly string[]
  summary(): Readonly<Record<string, { done: number; failed: number; p50: number; p99: number; max: number }>>
}

/** As many as a person reads. */
const MOST_WRONGS = 50

export function newTally(): Tally {
  const times = new Map<string, number[]>()
  const failures = new Map<string, number>()
  const wrongs: string[] = []
  const timesOf = (what: string): number[] => {
    const all = times.get(what) ?? []
    times.set(what, all)
    return all
  }
  return {
    took: (what, ms) => void timesOf(what).push(ms),
    failed(what) {
      timesOf(what)
      failures.set(what, (failures.get(what) ?? 0) + 1)
    },
    wrong(text) {
      if (wrongs.length === MOST_WRONGS) return
      wrongs.push(text)
      say(`  wrong: ${text}`)
    },
    wrongs,
    summary: () =>
      Object.fromEntries(
        [...times].map(([what, all]) => [
          what,
          {
            done: all.length,
            failed: failures.get(what) ?? 0,
            p50: percentile(all, 0.5),
            p99: percentile(all, 0.99),
            max: all.reduce((most, ms) => Math.max(most, ms), 0),
          },
        ]),
      ),
  }
}

/** Times at which calls may fail: a server or the plugin's file is away, or this machine is too busy for all of them. */
export interface Trouble extends Disposable {
  during<T>(work: () => Promise<T>): Promise<T>
  /** There was some since that moment. */
  since(began: number): boolean
}

/** What a client has noticed may fail a little later. */
const AFTER_MS = 10_000
/** The API server and ztunnel are in this process: they answer nothing while it stands still. */
const [BEAT_MS, STILL_MS] = [200, 500]

export function newTrouble(): Trouble {
  let open = 0
  let ended = Number.NEGATIVE_INFINITY
  let beat = performance.now()
  const beats = setInterval(() => {
    const now = performance.now()
    if (now - beat > BEAT_MS + STILL_MS) ended = now
    beat = now
  }, BEAT_MS)
  return {
    async during(work) {
      open += 1
      try {
        return await work()
      } finally {
        open -= 1
        ended = performance.now()
      }
    },
    since: (began) => open > 0 || ended + AFTER_MS > began,
    [Symbol.dispose]: () => clearInterval(beats),
  }
}
