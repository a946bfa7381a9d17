import { constants, fstatSync, openSync } from 'node:fs'

/** Reopens a pipe as non-blocking. The original stays blocking, because child processes may share it. */
export function nonBlocking(fd: number): number | undefined {
  try {
    if (!fstatSync(fd).isFIFO()) return undefined
    return openSync(`/proc/self/fd/${fd}`, constants.O_WRONLY | constants.O_NONBLOCK)
  } catch {
    // The pipe cannot be reopened, so the caller uses the original descriptor.
    return undefined
  }
}
