const brand = Symbol.for('cni.EnrolmentError')

/**
 * - `IMPOSSIBLE`: the pod's namespace or its rules; the same attempt would fail again
 * - `UNACKNOWLEDGED`: ztunnel did not say yes; rules are in, and it is tried again
 * - `INCOMPLETE`: the node's sets or the annotation could not be written; it is tried again
 */
export type EnrolmentErrorCode = 'IMPOSSIBLE' | 'UNACKNOWLEDGED' | 'INCOMPLETE'

/** A pod could not be enrolled, or not wholly. */
export class EnrolmentError extends Error {
  readonly [brand] = true
  readonly code: EnrolmentErrorCode

  constructor(code: EnrolmentErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }

  static {
    EnrolmentError.prototype.name = 'EnrolmentError'
  }
}

/** Is it an {@link EnrolmentError}, also one of another copy of this package? */
export function isEnrolmentError(error: unknown): error is EnrolmentError {
  return error instanceof Error && brand in error
}
