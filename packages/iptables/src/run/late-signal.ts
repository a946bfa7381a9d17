import type { IptablesPort } from './port.ts'

/** Signal that follows another one after a delay. */
export interface LateSignal {
  readonly signal: AbortSignal
  /** Stops waiting. */
  dispose(): void
}

/**
 * Aborts some time after `signal`. A restore that ends by itself in this time reports what it wrote.
 *
 * If other processes still wait for a lock then, the restore most likely waits as well. It has written nothing and can
 * be killed. Otherwise, it may be writing on a slow machine, and gets more time: after a kill, its rules would look
 * like the rules of an earlier call.
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
/** Milliseconds, less than the limit of a whole undo. */
const LONGEST = 1250

/** /proc/locks marks a waiting process with an arrow after the holder. */
const LOCKS = '/proc/locks'

/** If the file cannot be read, assumes that the restore waits. */
const hasWaiters = (text: string | undefined): boolean => text === undefined || text.includes('-> FLOCK')
