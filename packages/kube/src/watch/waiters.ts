/** List of callers that wait until a watched store contains a result. */
export interface Waiters {
  /** Calls the `find` function of each waiting caller again, after a change. */
  check(): void
  /** Resolves with the first defined result of `find`, or rejects on abort. */
  until<R>(find: () => R | undefined, signal: AbortSignal): Promise<R>
}

/** Creates an empty list of callers that wait for a result. */
export function waiters(): Waiters {
  const waiting = new Set<() => void>()
  return {
    check() {
      for (const each of [...waiting]) each()
    },
    until: (find, signal) =>
      new Promise((resolve, reject) => {
        const end = (): void => {
          waiting.delete(look)
          signal.removeEventListener('abort', abort)
        }
        const look = (): void => {
          const found = find()
          if (found === undefined) return
          end()
          resolve(found)
        }
        const abort = (): void => {
          end()
          reject(signal.reason)
        }
        signal.addEventListener('abort', abort)
        waiting.add(look)
        if (signal.aborted) abort()
        else look()
      }),
  }
}
