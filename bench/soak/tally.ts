import { say } from '../../scripts/lib/progress.ts'
import { percentile } from '../lib/report/statistics.ts'

/** Counts and times of the soak test's steps, such as ADD, and its errors. */
export interface Tally {
  /** Records that a step, such as ADD, has finished, with its time. */
  took(what: string, ms: number): void
  /** Records a failure during a disturbance. The soak test repeats the failed step. */
  failed(what: string): void
  /** Records an error, which makes the soak test fail. */
  wrong(text: string): void
  readonly wrongs: readonly string[]
  summary(): Readonly<Record<string, { done: number; failed: number; p50: number; p99: number; max: number }>>
}

/** Maximum number of the soak test's errors that are printed. */
const MAX_WRONGS = 50

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
      if (wrongs.length === MAX_WRONGS) return
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

/** Records periods in which plugin calls may fail, such as a server's restart. */
export interface Trouble extends Disposable {
  during<T>(work: () => Promise<T>): Promise<T>
  /** True if a disturbance occurred after `began`: a missing server or file, or an overloaded machine. */
  since(began: number): boolean
}

/** Milliseconds after an outage of a server during which plugin calls may still fail. */
const AFTER_MS = 10_000
/** Interval and maximum delay of a timer. A longer delay means that the simulated API server has stalled. */
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
