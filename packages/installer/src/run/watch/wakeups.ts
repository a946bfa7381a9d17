/** Why a pass is due: something happened to a file, or the work on the binaries came to its end. */
export type Cause = 'event' | 'work'

/** What wakes the loop. A cause that comes up while it is awake is kept. */
export interface Wakeups {
  wake(cause: Cause): void
  /** The cause that came up since the last call; an event covers the end of the work. */
  take(): Cause | undefined
  /** Sleeps until a cause comes up, at most this long. */
  sleep(ms: number): Promise<void>
  /** Sleeps this long whatever comes up. */
  pause(ms: number): Promise<void>
}

/** No cause yet. The abort ends every sleep. */
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
