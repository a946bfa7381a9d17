import { setTimeout as delay } from 'node:timers/promises'
import type { Narrator } from '../narrate.ts'

/** What was looked at, what should have been seen, and what was. */
export interface Look {
  readonly what: string
  readonly expected: unknown
  readonly seen: unknown
  readonly as_expected: boolean
}

/** What a story looks at, told as it happens. */
export interface Looks {
  readonly all: readonly Look[]
  /** How long was waited for what, in milliseconds. */
  readonly ms: Readonly<Record<string, number>>
  look(what: string, seen: unknown, expected: unknown): void
  /** Waits for 20 s at most. */
  timed(what: string, condition: () => boolean): Promise<void>
  /** The end of the story: whether all was as expected. */
  end(): boolean
}

/** Nothing has been looked at yet. */
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
