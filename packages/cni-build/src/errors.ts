const brand = Symbol.for('cni.build.error')

/** Error of `@cni/build`. The message names the file and tells the user what to do next. */
export class BuildError extends Error {
  /**
   * Reason why the build stopped:
   * - `BUNDLE`: the bundler rejected the source.
   * - `NO_COMPILER`: a tool is missing.
   * - `COMPILE`: the compiler failed.
   * - `SMOKE`: the executable does not run.
   * - `WRITE`: a file cannot be written.
   * - `USAGE`: the options are invalid.
   * - `ABORTED`: the caller aborted the build.
   */
  readonly code: 'BUNDLE' | 'NO_COMPILER' | 'COMPILE' | 'SMOKE' | 'WRITE' | 'USAGE' | 'ABORTED'

  constructor(code: BuildError['code'], message: string, options?: { cause?: unknown }) {
    super(message, options)
    this.code = code
  }
}

Object.defineProperty(BuildError.prototype, 'name', { value: 'BuildError', configurable: true })
Object.defineProperty(BuildError.prototype, brand, { value: true })

/** True if the error comes from `@cni/build`. Works across bundles, unlike `instanceof`. */
export function isBuildError(error: unknown): error is BuildError {
  return typeof error === 'object' && error !== null && brand in error
}
