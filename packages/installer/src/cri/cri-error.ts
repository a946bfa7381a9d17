const brand = Symbol.for('cni.CriError')

/**
 * Error for a container runtime that gives no valid answer on its CRI socket. The message is meant to follow the
 * socket's path, which the caller prints. Example: `it is not a socket`.
 */
export class CriError extends Error {
  readonly [brand] = true

  static {
    CriError.prototype.name = 'CriError'
  }
}

/** True for a {@link CriError}, also from another copy of this package. */
export function isCriError(error: unknown): error is CriError {
  return error instanceof Error && brand in error
}
