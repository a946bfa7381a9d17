const brand = Symbol.for('cni.DaemonError')

/** Error for a plugin daemon that could not start. */
export class DaemonError extends Error {
  /** Reason why the daemon could not create its socket: one of these codes, or the kernel's errno name. */
  readonly code: 'INVALID' | 'NOT_A_SOCKET' | 'IN_USE' | 'INSECURE' | (string & {})
  /** Path of the daemon's socket. */
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

/** True for a {@link DaemonError}, also from another copy of this package. */
export function isDaemonError(error: unknown): error is DaemonError {
  return error instanceof Error && brand in error
}
