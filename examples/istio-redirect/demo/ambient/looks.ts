import { setTimeout as delay } from 'node:timers/promises'
import type { Narrator } from '../narrate.ts'

/** An observation: its description, the expected value and the actual value. */
export interface Look {
  readonly what: string
  readonly expected: unknown
  readonly seen: unknown
  readonly as_expected: boolean
}

/** Observations of a story, printed as they happen. */
export interface Looks {
  readonly all: readonly Look[]
  /** Duration of each wait in milliseconds. */
  readonly ms: Readonly<Record<string, number>>
  look(what: string, seen: unknown, expected: unknown): void
  /** Waits for a condition, at most 20 s, and records the duration. */
  timed(what: string, condition: () => boolean): Promise<void>
  /** End of the story. True if all observations were as expected. */
  end(): boolean
}

/** Creates an empty list of observations, which it prints with `tell`. */
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
