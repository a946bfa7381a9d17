import { writeSync } from 'node:fs'
import { errnoOf } from '@cni/types'
import { nonBlocking } from './non-blocking.ts'

/** Writes the result document of a CNI call to stdout. */
export interface ResultWriter {
  /** True if a write to stdout may block the process, including its signal handlers. */
  readonly mayBlock: boolean
  /** Writes a text to stdout. Rejects with the error of the write. */
  write(text: string): Promise<void>
}

/** Creates a writer that never blocks on a pipe, so the deadline still works. */
export function resultWriter(stdout: number): ResultWriter {
  const pipe = nonBlocking(stdout)
  return {
    mayBlock: pipe === undefined,
    async write(text) {
      let rest: Uint8Array = new TextEncoder().encode(text)
      while (rest.length > 0) {
        try {
          rest = rest.subarray(writeSync(pipe ?? stdout, rest))
        } catch (error) {
          const errno = errnoOf(error)
          if (errno === 'EAGAIN') await new Promise((resolve) => setTimeout(resolve, 1))
          else if (errno !== 'EINTR') throw error
        }
      }
    },
  }
}
