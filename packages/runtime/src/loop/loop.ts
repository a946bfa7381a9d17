import { host } from '../host.ts'
import { hasWatchers, poll } from './descriptors.ts'
import { enqueueImmediates, hasImmediates, isImmediateWaiting } from './immediates.ts'
import { isIdle, runNext } from './ready.ts'
import { reportRejections } from './rejections.ts'
import { runTicks } from './ticks.ts'
import { enqueueTimers, hasTimers, nextTimer } from './timers.ts'

/** Phases of one round of the event loop, in Node's order. */
const phases = [enqueueTimers, pollOnce, enqueueImmediates] as const
const POLL = 1
let phase = 0

/** Returns true if a timer, descriptor or immediate keeps the process alive. */
export const isAlive = (): boolean => hasTimers() || hasWatchers() || hasImmediates()

/**
 * Runs one step of the event loop, which calls at most one callback. The native program runs new promise jobs before
 * the next call.
 *
 * @param hasJobs - true if promise jobs are left, for example after `setDeadline` interrupted them; in that case, the
 * step does not wait
 * @returns false if no work is left
 */
export function step(hasJobs = false): boolean {
  if (runTicks() || reportRejections()) return true
  for (let round = 0; isIdle(); round++) {
    if (phase === POLL && !isAlive()) return false
    if (hasJobs && round === phases.length) return true
    const enqueuePhase = phases[phase]
    phase = (phase + 1) % phases.length
    enqueuePhase?.(hasJobs)
  }
  runNext()
  return true
}

function pollOnce(hasJobs: boolean): void {
  poll(hasJobs || isImmediateWaiting() || !isIdle() ? 0 : Math.max(0, nextTimer() - host.now()))
}
