/**
 * Why a build stopped: the bundler refused the source, a tool is missing, the compiler failed, the result does not run,
 * the call makes no sense.
 */
export type BuildErrorCode = 'BUNDLE' | 'NO_COMPILER' | 'COMPILE' | 'SMOKE' | 'USAGE'

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
