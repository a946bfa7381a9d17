import { constants, fstatSync, openSync } from 'node:fs'

/**
 * Opens a pipe a second time, as a separate non-blocking description. Children's streams stay blocking.
 * Returns `undefined` for anything but a pipe, and if the pipe cannot be opened.
 */
export function nonBlocking(fd: number): number | undefined {
  try {
    if (!fstatSync(fd).isFIFO()) return undefined
    return openSync(`/proc/self/fd/${fd}`, constants.O_WRONLY | constants.O_NONBLOCK)
  } catch {
    // No /proc, a pipe of another user or without a reader, or a closed descriptor: the caller uses the original one.
    return undefined
  }
}
