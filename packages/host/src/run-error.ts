import type { RunResult } from './run-types.ts'

const brand = Symbol.for('cni.RunError')

/**
 * Error of a program that did not start, failed, or exceeded a limit. An abort also causes this error. Has all members
 * of a {@link RunResult}. The message ends with the first line of the program's stderr.
 */
export class RunError extends Error implements RunResult {
  /** Reason why the program failed or did not start. */
  readonly code:
    | 'EXIT'
    | 'SIGNAL'
    | 'TIMEOUT'
    | 'ABORTED'
    | 'MAX_OUTPUT'
    | 'NOT_FOUND'
    | 'NOT_EXECUTABLE'
    | 'BUSY'
    | 'SPAWN'
  readonly command: string
  readonly argv: readonly string[]
  readonly exitCode: number | null
  readonly signal: NodeJS.Signals | null
  readonly stdout: string
  readonly stderr: string
  readonly durationMs: number
  readonly timedOut: boolean
  readonly aborted: boolean
  readonly failed = true
  readonly [brand] = true

  constructor(code: RunError['code'], why: string, result: Omit<RunResult, 'failed'>, options?: { cause?: unknown }) {
    const firstLine = result.stderr.trimStart().split('\n', 1)[0]?.trimEnd()
    super(`${why}: ${result.command}${firstLine ? `\n${firstLine}` : ''}`, options)
    this.code = code
    this.command = result.command
    this.argv = result.argv
    this.exitCode = result.exitCode
    this.signal = result.signal
    this.stdout = result.stdout
    this.stderr = result.stderr
    this.durationMs = result.durationMs
    this.timedOut = result.timedOut
    this.aborted = result.aborted
  }
}
RunError.prototype.name = 'RunError'

/** True for a {@link RunError}. Unlike `instanceof`, also recognises errors of another copy of this package. */
export function isRunError(error: unknown): error is RunError {
  return error instanceof Error && brand in error
}
