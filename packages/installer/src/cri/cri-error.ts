const brand = Symbol.for('cni.CriError')

/** A container runtime gives no answer over its CRI socket. The message ends a sentence that names the socket. */
export class CriError extends Error {
  readonly [brand] = true

  static {
    CriError.prototype.name = 'CriError'
  }
}

/** Is it a {@link CriError}, also one of another copy of this package? */
export function isCriError(error: unknown): error is CriError {
  return error instanceof Error && brand in error
}
