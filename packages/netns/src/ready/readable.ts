import { watch } from './readiness.ts'

/**
 * Lets the kernel report when a socket becomes readable, without polling. Dispose of the watch before closing the
 * socket. Throws `NetnsError` `NOT_MAIN_THREAD` on a worker, `NO_FFI`, or a `SysError` (`EBADF` …).
 *
 * @example
 * for await (const { messages } of events(socket, { watch: watchReadable })) seen(messages)
 */
export function watchReadable(fd: number): Disposable & {
  /**
   * Resolves when the socket may have data, or when the AbortSignal aborts. Resolves at once if unread data arrived
   * before the call.
   */
  next(signal?: AbortSignal): Promise<void>
} {
  let isReady = true
  let wake = () => {}
  const watched = watch(fd, () => {
    isReady = true
    wake()
  })
  return {
    async next(signal) {
      if (!isReady && signal?.aborted !== true) {
        await new Promise<void>((resolve) => {
          wake = () => {
            signal?.removeEventListener('abort', wake)
            resolve()
          }
          signal?.addEventListener('abort', wake)
        })
      }
      isReady = false
    },
    [Symbol.dispose]() {
      watched.end()
      wake()
    },
  }
}
