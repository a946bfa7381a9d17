import { nonBlocking } from './non-blocking.ts'
import { writeAll } from './write-all.ts'

/** Total milliseconds that one CNI call waits for a reader of its log on stderr. */
const TIMEOUT_MS = 250

/** Creates a function that writes to stderr until a pipe is full. A blocking write could outlast the deadline. */
export function stderrWriter(): (line: string) => void {
  let fd: number | undefined
  let isStuck = false
  return (line) => {
    if (isStuck) return
    fd ??= nonBlocking(2) ?? 2
    isStuck = writeAll(fd, line, TIMEOUT_MS) !== undefined
  }
}
