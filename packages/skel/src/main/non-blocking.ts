import { constants, fstatSync, openSync } from 'node:fs'

/**
 * Opens a pipe a second time, as a separate non-blocking file description. The streams of child processes stay
 * blocking. Returns `undefined` for anything but a pipe, and if the pipe cannot be opened.
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
