/** Reason for a pass of the installer: an event of a watched file, or the end of the work on the binaries. */
export type Cause = 'event' | 'work'

/** Wakes the installer's loop. Keeps a cause that occurs while the loop is awake. */
export interface Wakeups {
  wake(cause: Cause): void
  /** Returns the cause that has occurred since the last call. A file event has priority over the end of work. */
  take(): Cause | undefined
  /** Sleeps until a cause occurs, but at most `ms` milliseconds. */
  sleep(ms: number): Promise<void>
  /** Sleeps `ms` milliseconds, even if a cause occurs. */
  pause(ms: number): Promise<void>
}

/** Creates the alarm of the installer's loop, without a cause. An abort of the signal ends every sleep. */
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
