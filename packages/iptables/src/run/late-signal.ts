import type { IptablesPort } from './port.ts'

/** Signal that aborts some time after another signal. */
export interface LateSignal {
  readonly signal: AbortSignal
  /** Stops the timer. */
  dispose(): void
}

/**
 * Aborts some time after `signal`. A restore that ends by itself before then can still report what it wrote.
 *
 * While other processes wait for a lock, the restore most likely waits as well. A waiting restore has written nothing
 * and can be killed. Otherwise, the restore may be writing on a slow machine and gets more time. After a kill, its
 * rules would look like the rules of an earlier call.
 */
export function lateSignal(signal: AbortSignal, read: IptablesPort['read']): LateSignal {
  const controller = new AbortController()
  let timer: NodeJS.Timeout | undefined
  const look = async (left: number): Promise<void> => {
    const isWaiting = await read(LOCKS).then(hasWaiters, () => true)
    if (left <= 0 || isWaiting) controller.abort(signal.reason)
    else if (!disposed) timer = setTimeout(look, PAUSE, left - PAUSE)
  }
  let disposed = false
  const onAbort = () => {
    timer = setTimeout(look, PAUSE, LONGEST)
  }
  signal.addEventListener('abort', onAbort, { once: true })
  return {
    signal: controller.signal,
    dispose() {
      disposed = true
      signal.removeEventListener('abort', onAbort)
      clearTimeout(timer)
    },
  }
}

// internal

const PAUSE = 250
/** Longest delay in milliseconds; less than the time limit of a whole undo. */
const LONGEST = 1250

/** In this file, an arrow after the holder of a lock marks a process that waits for the lock. */
const LOCKS = '/proc/locks'

/** True if a process waits for a lock, or if the file of locks cannot be read. */
const hasWaiters = (text: string | undefined): boolean => text === undefined || text.includes('-> FLOCK')
