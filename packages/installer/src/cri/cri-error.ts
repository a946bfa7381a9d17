const brand = Symbol.for('cni.CriError')

/** Error of a request to a container runtime. Callers print the socket's path first. */
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
