const brand = Symbol.for('cni.EnrolmentError')

/** Code of an {@link EnrolmentError}. The agent retries except after `IMPOSSIBLE`. */
export type EnrolmentErrorCode = 'IMPOSSIBLE' | 'UNACKNOWLEDGED' | 'INCOMPLETE'

/** Error of an attempt to enrol a pod in the mesh. Some steps of the attempt may have succeeded. */
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

/** True for an {@link EnrolmentError}. Unlike `instanceof`, also recognises errors of another copy of this package. */
export function isEnrolmentError(error: unknown): error is EnrolmentError {
  return error instanceof Error && brand in error
}
