const brand = Symbol.for('cni.ZdsError')

/**
 * Code of a {@link ZdsError}:
 *
 * - `NO_ZTUNNEL`: no ztunnel that has all pods is connected. A starting one connects within seconds.
 * - `REFUSED`: ztunnel refused the pod, with a reason.
 * - `TIMEOUT`: ztunnel did not answer in time. Its connection was closed.
 * - `PROTOCOL`: the answer was invalid. The connection was closed.
 * - `CLOSED`: the connection ended before the answer.
 * - `INVALID`: the pod cannot be sent: it has no UID, or its names are too long.
 */
export type ZdsErrorCode = 'NO_ZTUNNEL' | 'REFUSED' | 'TIMEOUT' | 'PROTOCOL' | 'CLOSED' | 'INVALID'

/** Error of sending a pod to ztunnel. A later attempt may succeed. */
export class ZdsError extends Error {
  readonly [brand] = true
  readonly code: ZdsErrorCode

  constructor(code: ZdsErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }

  static {
    ZdsError.prototype.name = 'ZdsError'
  }
}

/** True for a {@link ZdsError}, also from another copy of this package. */
export function isZdsError(error: unknown): error is ZdsError {
  return error instanceof Error && brand in error
}
