import { constants, fstatSync, openSync } from 'node:fs'

/**
 * Opens a pipe a second time as non-blocking. The descriptor `fd` stays blocking, because child processes may share it.
 * Returns `undefined` if `fd` is not a pipe, or if the pipe cannot be opened.
 */
export function nonBlocking(fd: number): number | undefined {
  try {
    if (!fstatSync(fd).isFIFO()) return undefined
    return openSync(`/proc/self/fd/${fd}`, constants.O_WRONLY | constants.O_NONBLOCK)
  } catch {
    // The pipe cannot be opened again: /proc is missing, or the pipe has another owner or no reader. The caller uses
    // the original descriptor.
    return undefined
  }
}
