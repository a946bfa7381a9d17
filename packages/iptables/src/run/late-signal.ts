import type { IptablesPort } from './port.ts'

/** Signal that aborts a restore program some time after the caller's signal has aborted. */
export interface LateSignal {
  readonly signal: AbortSignal
  /** Stops the timer of the delayed abort. */
  dispose(): void
}

/**
 * Creates a signal that aborts some time after `signal`. A restore program that ends within this time can still report
 * which tables it wrote.
 *
 * While other processes wait for a lock, the restore program most likely waits as well. A waiting program has written
 * nothing and can be killed. Otherwise, the program may be writing on a slow machine and gets more time. After a kill,
 * the program's rules would look like the rules of an earlier call.
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
/** Maximum delay in milliseconds of a restore's abort; less than the time limit of a whole undo. */
const LONGEST = 1250

/** The kernel's list of file locks. In this file, an arrow (`->`) marks a process that waits for a lock. */
const LOCKS = '/proc/locks'

/** True if `/proc/locks` shows a process that waits for a lock, or cannot be read. */
const hasWaiters = (text: string | undefined): boolean => text === undefined || text.includes('-> FLOCK')
