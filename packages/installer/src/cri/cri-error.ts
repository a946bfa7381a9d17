const brand = Symbol.for('cni.CriError')

/**
 * Error for a container runtime that gives no valid answer on its CRI socket. The caller prints the socket's path
 * before the message. Example of a message: `it is not a socket`.
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
