import type { IptablesPort } from './port.ts'

/** AbortSignal for a restore program. It aborts some time after the caller's AbortSignal. */
export interface LateSignal {
  readonly signal: AbortSignal
  /** Stops the timer of the delayed abort. */
  dispose(): void
}

/** Creates an AbortSignal with a delay, because a killed restore program cannot report its writes. */
export function lateSignal(signal: AbortSignal, read: IptablesPort['read']): LateSignal {
  const controller = new AbortController()
  let timer: NodeJS.Timeout | undefined
  const check = async (left: number): Promise<void> => {
    const isWaiting = await read(LOCKS).then(hasWaiters, () => true)
    if (left <= 0 || isWaiting) controller.abort(signal.reason)
    else if (!disposed) timer = setTimeout(check, PAUSE_MS, left - PAUSE_MS)
  }
  let disposed = false
  const onAbort = () => {
    timer = setTimeout(check, PAUSE_MS, MAX_DELAY_MS)
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

const PAUSE_MS = 250
/**
 * Maximum delay before a restore program is aborted. Shorter than the time limit of a whole rollback.
 */
const MAX_DELAY_MS = 1250

/** The kernel's list of file locks. An arrow (`->`) marks a process that waits. */
const LOCKS = '/proc/locks'

/** True if `/proc/locks` shows a process that waits for a lock, or if the file cannot be read. */
const hasWaiters = (text: string | undefined): boolean => text === undefined || text.includes('-> FLOCK')
