const brand = Symbol.for('cni.DaemonError')

/** A daemon that could not start. */
export class DaemonError extends Error {
  /** Why the daemon could not take its socket; the errno name when the kernel said it. */
  readonly code: 'INVALID' | 'NOT_A_SOCKET' | 'IN_USE' | 'INSECURE' | (string & {})
  /** The path of the socket. */
  readonly path: string
  /** @internal */
  readonly [brand] = true

  constructor(code: DaemonError['code'], message: string, path: string, options?: { cause: unknown }) {
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
