import { constants, fstatSync, openSync } from 'node:fs'

/**
 * Opens a second, non-blocking description of a pipe: ours alone, so that children's streams stay as the runtime made
 * them. `undefined` for anything but a pipe, and where the pipe cannot be opened.
 */
export function nonBlocking(fd: number): number | undefined {
  try {
    if (!fstatSync(fd).isFIFO()) return undefined
    return openSync(`/proc/self/fd/${fd}`, constants.O_WRONLY | constants.O_NONBLOCK)
  } catch {
    // No /proc, a pipe of another user or without a reader, a closed descriptor: written to as it is.
    return undefined
  }
}
