const brand = Symbol.for('cni.CriError')

/**
 * Error for a container runtime that gives no valid answer on its CRI socket. The message is the end of a sentence; the
 * caller puts the name of the socket before it.
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
