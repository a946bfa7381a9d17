import { nonBlocking } from './non-blocking.ts'
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
    fd ??= nonBlocking(2) ?? 2
    isStuck = writeAll(fd, line, PATIENCE) !== undefined
  }
}
