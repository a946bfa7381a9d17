import { DEFAULT_TIMEOUT, SETTLE_BUDGET } from '../call/deadline.ts'

/** Native module `cni:host`. Only the project's own small JavaScript runtime for plugins has this module. */
interface SmallHost {
  setDeadline(ms: number): void
}

/** Makes the small runtime end a handler that blocks the event loop. Then the deadline's timer can run. */
export function endRunaway(timeout = DEFAULT_TIMEOUT): void {
  const host = process.getBuiltinModule('cni:host') as SmallHost | undefined
  // Adds SETTLE_BUDGET twice: once for a handler that reacts to its AbortSignal, and once for printing its error.
  host?.setDeadline(timeout + 2 * SETTLE_BUDGET)
}
