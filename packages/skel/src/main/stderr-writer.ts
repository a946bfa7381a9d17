import { nonBlocking } from './non-blocking.ts'
import { writeAll } from './write-all.ts'

/** Milliseconds that one CNI call waits in all for a reader of its log on stderr. */
const PATIENCE = 250

/** Writes to stderr until a pipe is full, because a blocking write outlasts the deadline. */
export function stderrWriter(): (line: string) => void {
  let fd: number | undefined
  let isStuck = false
  return (line) => {
    if (isStuck) return
    fd ??= nonBlocking(2) ?? 2
    isStuck = writeAll(fd, line, PATIENCE) !== undefined
  }
}
