const brand = Symbol.for('cni.DaemonError')

/** Why a daemon could not take its socket; the errno name when the kernel said it. */
export type DaemonErrorCode = 'INVALID' | 'NOT_A_SOCKET' | 'IN_USE' | 'INSECURE' | (string & {})

/** A daemon that could not start. */
export class DaemonError extends Error {
  /** Kind of the problem. */
  readonly code: DaemonErrorCode
  /** The path of the socket. */
  readonly path: string
  /** @internal */
  readonly [brand] = true

  constructor(code: DaemonErrorCode, message: string, path: string, options?: { cause: unknown }) {
    super(message, options)
    this.code = code
    this.path = path
  }
}
DaemonError.prototype.name = 'DaemonError'

/** Is it a {@link DaemonError}, also one of another copy of this package? */
export function isDaemonError(error: unknown): error is DaemonError {
  return error instanceof Error && brand in error
}
