/**
 * Common operations on a node: run a program, read a file safely, and write a file atomically.
 *
 * @example
 * ```ts
 * import { run, writeFileAtomic } from '@cni/host'
 *
 * const { stdout } = await run(['uname', '-r'], { timeout: 1000 })
 * writeFileAtomic('/tmp/kernel', stdout, { mode: 0o600 })
 * ```
 *
 * @module
 */

export { argvText } from './argv-text.ts'
export { findExecutable } from './find-executable.ts'
export { mutex } from './mutex.ts'
export { insecurity, isReadError, openRegularFile, readRegularFile } from './regular-file.ts'
export { run } from './run.ts'
export { isRunError, RunError } from './run-error.ts'
export type { RunOptions, RunResult, Started } from './run-types.ts'
export { start } from './start.ts'
export { writeFileAtomic } from './write-file-atomic.ts'
