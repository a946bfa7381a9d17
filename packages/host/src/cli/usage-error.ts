const brand = Symbol.for('cni.usage.error')

/** The command line makes no sense; the message says what is wrong with it. Commands end with exit code 2. */
export class UsageError extends Error {
  readonly code = 'USAGE'
}

Object.defineProperty(UsageError.prototype, 'name', { value: 'UsageError', configurable: true })
Object.defineProperty(UsageError.prototype, brand, { value: true })

/** Whether `error` is a {@link UsageError}; works across bundles, where `instanceof` does not. */
export function isUsageError(error: unknown): error is UsageError {
  return typeof error === 'object' && error !== null && brand in error
}
