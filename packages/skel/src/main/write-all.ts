import { writeSync } from 'node:fs'
import { errnoOf } from '@cni/types'

/**
 * Writes a whole text to a descriptor, because `process.stdout.write` loses text at an exit.
 *
 * @param timeoutMs - milliseconds to wait for a full pipe.
 */
export function writeAll(fd: number, text: string, timeoutMs = Number.POSITIVE_INFINITY): Error | undefined {
  let rest: Uint8Array = new TextEncoder().encode(text)
  let waitedMs = 0
  while (rest.length > 0) {
    try {
      rest = rest.subarray(writeSync(fd, rest))
    } catch (error) {
      if (!(error instanceof Error)) return new Error(String(error))
      const errno = errnoOf(error)
      if (errno === 'EINTR') continue
      if (errno !== 'EAGAIN' || waitedMs++ >= timeoutMs) return error
      // Blocks this thread for a millisecond while the pipe is full, because this function is synchronous.
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1)
    }
  }
  return undefined
}
