const brand = Symbol.for('cni.ZdsError')

/** Code of a {@link ZdsError}. `NO_ZTUNNEL`: no connected ztunnel has received all pods. */
export type ZdsErrorCode = 'NO_ZTUNNEL' | 'REFUSED' | 'TIMEOUT' | 'PROTOCOL' | 'CLOSED' | 'INVALID'

/** Error of an attempt to send a pod to ztunnel. A later attempt may succeed. */
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

/** True for a {@link ZdsError}. Unlike `instanceof`, also recognises errors of another copy of this package. */
export function isZdsError(error: unknown): error is ZdsError {
  return error instanceof Error && brand in error
}
