/** Reason for a pass: an event of a file, or the end of the work on the binaries. */
export type Cause = 'event' | 'work'

/** Wakes the loop. Keeps a cause that occurs while the loop is awake. */
export interface Wakeups {
  wake(cause: Cause): void
  /** Cause since the last call. An event has priority over the end of work. */
  take(): Cause | undefined
  /** Sleeps until a cause occurs, at most this time. */
  sleep(ms: number): Promise<void>
  /** Sleeps this time, even if a cause occurs. */
  pause(ms: number): Promise<void>
}

/** Creates wakeups without a cause. The abort ends every sleep. */
export function newWakeups(signal: AbortSignal): Wakeups {
  let pending: Cause | undefined
  let resume: () => void = () => {}
  const sleepUntil = (isOver: () => boolean, ms: number): Promise<void> =>
    new Promise((resolve) => {
      const finish = (): void => {
        clearTimeout(timer)
        signal.removeEventListener('abort', check)
        resume = () => {}
        resolve()
      }
      const check = (): void => {
        if (isOver() || signal.aborted) finish()
      }
      const timer = setTimeout(finish, ms)
      resume = check
      signal.addEventListener('abort', check)
      check()
    })
  return {
    wake(cause) {
      if (pending !== 'event') pending = cause
      resume()
    },
    take() {
      const cause = pending
      pending = undefined
      return cause
    },
    sleep: (ms) => sleepUntil(() => pending !== undefined, ms),
    pause: (ms) => sleepUntil(() => false, ms),
  }
}
