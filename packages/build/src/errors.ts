/**
 * Why a build stopped: the bundler refused the source, a tool is missing, the compiler failed, the result does not run,
 * a file cannot be written, the call makes no sense, it was told to.
 */
export type BuildErrorCode = 'BUNDLE' | 'NO_COMPILER' | 'COMPILE' | 'SMOKE' | 'WRITE' | 'USAGE' | 'ABORTED'

/** Thrown by every function of this package; the message names the file and what to do next. */
export class BuildError extends Error {
  static {
    BuildError.prototype.name = 'BuildError'
  }

  readonly code: BuildErrorCode

  constructor(code: BuildErrorCode, message: string, options?: { cause?: unknown }) {
    super(message, options)
    this.code = code
  }
}
