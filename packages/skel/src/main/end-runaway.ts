import { DEFAULT_TIMEOUT, SETTLE_BUDGET } from '../call/deadline.ts'

/** Module `cni:host` of the small runtime. */
interface SmallHost {
  setDeadline(ms: number): void
}

/**
 * Ends a handler that never returns to the event loop, such as an endlessly backtracking regular expression.
 * The deadline's timer then runs and reports code 11. Only the small runtime can do this.
 */
export function endRunaway(timeout = DEFAULT_TIMEOUT): void {
  const host = process.getBuiltinModule('cni:host') as SmallHost | undefined
  // A handler that reacts to its signal has until timeout + SETTLE_BUDGET. The rest is time to print its error.
  host?.setDeadline(timeout + 2 * SETTLE_BUDGET)
}
