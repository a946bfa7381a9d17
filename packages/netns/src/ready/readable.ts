import { watch } from './readiness.ts'

/**
 * Has the kernel say when a socket can be read, also one of netlink: neither a timer nor a thread looks. Dispose of it
 * before the socket is closed. Throws `NetnsError` `NOT_MAIN_THREAD` on a worker, `NO_FFI`, or a `SysError` (`EBADF` …).
 *
 * @example
 * for await (const { messages } of events(socket, { watch: watchReadable })) seen(messages)
 */
export function watchReadable(fd: number): Disposable & {
  /** Resolves when there may be something, or when the signal aborts. What was there before counts, until all is read. */
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
