const brand = Symbol.for('cni.usage.error')

/** Error for an invalid command line. Commands that catch this error exit with code 2. */
export class UsageError extends Error {
  readonly code = 'USAGE'
}

Object.defineProperty(UsageError.prototype, 'name', { value: 'UsageError', configurable: true })
Object.defineProperty(UsageError.prototype, brand, { value: true })

/** True for a {@link UsageError}. Unlike `instanceof`, also recognises errors of another copy of this package. */
export function isUsageError(error: unknown): error is UsageError {
  return typeof error === 'object' && error !== null && brand in error
}
