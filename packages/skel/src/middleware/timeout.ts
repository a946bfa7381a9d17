import { VERBS, type Verb } from '@cni/types'
import { deadline, SETTLE_BUDGET, settlesWithin } from '../call/deadline.ts'
import { checkByVerb, checkMilliseconds } from '../checks.ts'
import type { Middleware } from './use.ts'

/**
 * Middleware that sets a deadline for each chosen verb, shorter than the plugin's `timeout`. At the deadline `c.signal`
 * aborts. The call fails with code 11 within half a second. The `undo` steps run.
 *
 * @param budget - milliseconds for all verbs, or for each verb. For a verb that is not listed, only the plugin's own
 * `timeout` applies.
 * @throws TypeError for an unknown verb or an invalid time.
 * @example
 * ```ts
 * use(plugin, timeout({ ADD: 20_000, STATUS: 2000 }))
 * ```
 */
export function timeout(budget: number | Readonly<Partial<Record<Verb, number>>>): Middleware {
  if (typeof budget === 'object') checkByVerb('timeout', budget, VERBS, checkMilliseconds)
  else checkMilliseconds('timeout', budget)
  return async function timeout(c, next) {
    const milliseconds = typeof budget === 'number' ? budget : budget[c.verb]
    if (milliseconds === undefined) return next()
    const limit = deadline(c.verb, milliseconds, c.signal)
    const work = next({ signal: limit.signal })
    try {
      return await Promise.race([work, limit.raised])
    } catch (error) {
      const reason = limit.error ?? error
      await settlesWithin(work, SETTLE_BUDGET)
      throw reason
    } finally {
      limit.clear()
    }
  }
}
