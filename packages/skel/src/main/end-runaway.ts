import { DEFAULT_TIMEOUT, SETTLE_BUDGET } from '../call/deadline.ts'

/** `cni:host` of the small runtime. */
interface SmallHost {
  setDeadline(ms: number): void
}

/**
 * Ends a handler that never returns to the event loop, such as a regular expression that backtracks for ever: the
 * deadline's timer then runs and gives code 11. On other runtimes no timer can.
 */
export function endRunaway(timeout = DEFAULT_TIMEOUT): void {
  const host = process.getBuiltinModule('cni:host') as SmallHost | undefined
  // A handler that heeds its signal has until timeout + SETTLE_BUDGET; its error is then printed without haste.
  host?.setDeadline(timeout + 2 * SETTLE_BUDGET)
}
