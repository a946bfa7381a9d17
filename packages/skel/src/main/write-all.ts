import { writeSync } from 'node:fs'
import { errnoOf } from '@cni/types'

/**
 * Writes a whole text to a descriptor, waiting while a pipe is full: `process.stdout.write` followed by an exit would
 * cut it off after 64 kB.
 *
 * @param patience milliseconds to wait for a full pipe, in all; for ever by default.
 * @returns the error that kept it from being written, such as EPIPE when nobody reads.
 */
export function writeAll(fd: number, text: string, patience = Number.POSITIVE_INFINITY): Error | undefined {
  let rest: Uint8Array = new TextEncoder().encode(text)
  let waited = 0
  while (rest.length > 0) {
    try {
      rest = rest.subarray(writeSync(fd, rest))
    } catch (error) {
      if (!(error instanceof Error)) return new Error(String(error))
      const errno = errnoOf(error)
      if (errno === 'EINTR') continue
      if (errno !== 'EAGAIN' || waited++ >= patience) return error
      // A full non-blocking pipe: there is no event to wait for without giving up control.
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1)
    }
  }
  return undefined
}
