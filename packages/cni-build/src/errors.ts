const brand = Symbol.for('cni.build.error')

/** Thrown by every function of this package; the message names the file and what to do next. */
export class BuildError extends Error {
  /**
   * Why the build stopped: the bundler refused the source, a tool is missing, the compiler failed, the result does not run,
   * a file cannot be written, the call makes no sense, it was told to.
   */
  readonly code: 'BUNDLE' | 'NO_COMPILER' | 'COMPILE' | 'SMOKE' | 'WRITE' | 'USAGE' | 'ABORTED'

  constructor(code: BuildError['code'], message: string, options?: { cause?: unknown }) {
    super(message, options)
    this.code = code
  }
}

Object.defineProperty(BuildError.prototype, 'name', { value: 'BuildError', configurable: true })
Object.defineProperty(BuildError.prototype, brand, { value: true })

/** Whether `error` comes from `@cni/build`; works across bundles, where `instanceof` does not. */
export function isBuildError(error: unknown): error is BuildError {
  return typeof error === 'object' && error !== null && brand in error
}
