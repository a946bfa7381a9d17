import { setTimeout as delay } from 'node:timers/promises'
import type { Narrator } from '../narrate.ts'

/** Observation in the ambient demo: its description, the expected value and the actual value. */
export interface Look {
  readonly what: string
  readonly expected: unknown
  readonly seen: unknown
  readonly as_expected: boolean
}

/** Observations of one run of the ambient demo. The demo prints each observation at once. */
export interface Looks {
  readonly all: readonly Look[]
  /** Durations of the demo's waits in milliseconds, by description of the wait. */
  readonly ms: Readonly<Record<string, number>>
  look(what: string, seen: unknown, expected: unknown): void
  /** Waits at most 20 s until `condition` is true, and records the duration under the description `what`. */
  timed(what: string, condition: () => boolean): Promise<void>
  /** Prints the demo's overall result. True if every observation had its expected value. */
  end(): boolean
}

/** Creates an empty list of observations. Calls `tell` to print each added observation. */
export function looksTold(tell: Narrator): Looks {
  const all: Look[] = []
  const ms: Record<string, number> = {}
  const look: Looks['look'] = (what, seen, expected) => {
    const as_expected = JSON.stringify(seen) === JSON.stringify(expected)
    all.push({ what, expected, seen, as_expected })
    if (as_expected) tell.ok(what)
    else tell.bad(`${what}: ${JSON.stringify(seen)}; expected ${JSON.stringify(expected)}`)
  }
  return {
    all,
    ms,
    look,
    async timed(what, condition) {
      const started = performance.now()
      while (!condition() && performance.now() < started + 20_000) await delay(1)
      const taken = Math.round(performance.now() - started)
      ms[what] = taken
      look(`${what}: ${taken} ms`, condition(), true)
    },
    end() {
      const isFine = all.every(({ as_expected }) => as_expected)
      tell.line()
      if (isFine) tell.ok('everything was as it should be')
      else tell.bad('something was not as it should be: see the lines marked ✗')
      return isFine
    },
  }
}
