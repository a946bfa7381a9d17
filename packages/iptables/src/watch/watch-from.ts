import type { Ruleset } from '../rules/model.ts'
import type { OpenWork } from '../session/open-work.ts'
import { openSession } from '../session/session.ts'
import { type WatchEvent, watchRuleset } from './watch.ts'

/** Starts a watch of the ruleset. The watch ends if the caller's or the context's AbortSignal aborts. */
export function watchFrom(
  { port, sessionOptions }: OpenWork,
  rules: Ruleset,
  how: Parameters<typeof watchRuleset>[3] = {},
): AsyncGenerator<WatchEvent, void, void> {
  const signals = [sessionOptions.signal, how.signal].flatMap((each) => each ?? [])
  const signal = signals.length === 0 ? undefined : AbortSignal.any(signals)
  return watchRuleset(openSession(port, { ...sessionOptions, signal }), port, rules, { ...how, signal })
}
