const brand = Symbol.for('cni.ZdsError')

/**
 * - `NO_ZTUNNEL`: none is connected that has all pods; one that starts is there within seconds
 * - `REFUSED`: ztunnel answered that it cannot take the pod, and why
 * - `TIMEOUT`: ztunnel did not answer in time; its connection was closed
 * - `PROTOCOL`: the answer is none; the connection was closed
 * - `CLOSED`: the connection ended before the answer
 * - `INVALID`: ztunnel cannot be told of such a pod: it has no UID, or names that are too long
 */
export type ZdsErrorCode = 'NO_ZTUNNEL' | 'REFUSED' | 'TIMEOUT' | 'PROTOCOL' | 'CLOSED' | 'INVALID'

/** ztunnel did not take a pod. A later attempt may succeed. */
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

/** Is it a {@link ZdsError}, also one of another copy of this package? */
export function isZdsError(error: unknown): error is ZdsError {
  return error instanceof Error && brand in error
}
