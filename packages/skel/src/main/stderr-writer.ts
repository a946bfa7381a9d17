import { constants, fstatSync, openSync } from 'node:fs'
import { writeAll } from './write-all.ts'

/** Milliseconds that one call waits, in all, for somebody to read its log. */
const PATIENCE = 250

/**
 * A log must not keep a call from ending: a pipe that nobody reads fills up, and a blocking write to it would outlast
 * the deadline and SIGTERM. What finds no room within the patience is dropped, and so is everything after it.
 */
export function stderrWriter(): (line: string) => void {
  let fd: number | undefined
  let isStuck = false
  return (line) => {
    if (isStuck) return
    fd ??= nonBlockingStderr() ?? 2
    isStuck = writeAll(fd, line, PATIENCE) !== undefined
  }
}

/** A second description of the same pipe: ours alone, so that children's stderr stays as the runtime made it. */
function nonBlockingStderr(): number | undefined {
  try {
    if (!fstatSync(2).isFIFO()) return undefined
    return openSync('/proc/self/fd/2', constants.O_WRONLY | constants.O_NONBLOCK)
  } catch {
    // No /proc, a pipe of another user, a closed stderr: written to as it is.
    return undefined
  }
}
