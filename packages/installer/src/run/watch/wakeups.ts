/** Reason for the installer's next check: a file event or the end of background work. */
export type Cause = 'event' | 'work'

/** Alarm that wakes the installer's loop. Keeps an event that occurs while the loop is awake. */
export interface Wakeups {
  wake(cause: Cause): void
  /** Returns and clears the last cause. A file event has priority over background work. */
  take(): Cause | undefined
  /** Sleeps until a file event or the end of background work, but at most `ms` milliseconds. */
  sleep(ms: number): Promise<void>
  /** Sleeps `ms` milliseconds, even if a file event occurs. */
  pause(ms: number): Promise<void>
}

/** Creates the alarm that wakes the installer's loop. An abort of the AbortSignal ends every sleep. */
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
