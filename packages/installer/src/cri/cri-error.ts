const brand = Symbol.for('cni.CriError')

/** Error for a container runtime without a valid answer. The caller prints the socket's path before the message. */
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
