import type { IptablesPort } from './port.ts'

/** A signal that comes later than another one. */
export interface LateSignal {
  readonly signal: AbortSignal
  /** Stops waiting for it. */
  dispose(): void
}

/**
 * Aborts a while after `signal`: a restore takes milliseconds, and one that ends by itself says what it wrote. One that is
 * there still when others wait for a lock waits itself, most likely, and has written nothing. Any other is on a slow
 * machine and may be writing: killed now, nobody could tell its rules from those of an earlier call.
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
/** Less than what undoing may take as a whole. */
const LONGEST = 1250

/** Who waits for a lock stands behind its holder, with an arrow. */
const LOCKS = '/proc/locks'

/** What cannot be read says nothing: then whoever is late counts as waiting. */
const hasWaiters = (text: string | undefined): boolean => text === undefined || text.includes('-> FLOCK')
