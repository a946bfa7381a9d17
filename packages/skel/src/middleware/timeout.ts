import { VERBS, type Verb } from '@cni/types'
import { deadline, SETTLE_BUDGET, settlesWithin } from '../call/deadline.ts'
import { checkByVerb, checkMilliseconds } from '../checks.ts'
import type { Middleware } from './use.ts'

/**
 * Deadlines of single verbs, tighter than the plugin's `timeout`. At the deadline `c.signal` aborts and the call fails
 * with code 11, as soon as the handler has come to rest, half a second later at most; its `undo` steps run.
 *
 * @param budget - milliseconds, for all verbs or by verb; a verb that is not named has the plugin's own deadline only.
 * @throws TypeError for what is no verb, or no time that a timer can wait.
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
