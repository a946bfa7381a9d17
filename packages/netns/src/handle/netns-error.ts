const brand = Symbol.for('cni.NetnsError')

/** Error of a failed operation on a network namespace. */
export class NetnsError extends Error {
  /** Stable code of the error, for programs. Errors of the kernel have the errno name (`EEXIST`, `EPERM` …). */
  readonly code:
    | 'MISSING'
    | 'INVALID'
    | 'NOT_FOUND'
    | 'NOT_A_NAMESPACE'
    | 'CLOSED'
    | 'EXISTS'
    | 'NO_FFI'
    | 'NO_NSENTER'
    | 'ASYNC_BODY'
    | 'RESTORE_FAILED'
    | 'PROTOCOL'
    | 'TOO_MANY'
    | 'FAKE'
    | (string & {})
  readonly path?: string
  readonly [brand] = true

  constructor(code: NetnsError['code'], message: string, options: { path?: string | undefined; cause?: unknown } = {}) {
    super(message, 'cause' in options ? { cause: options.cause } : undefined)
    this.code = code
    if (options.path !== undefined) this.path = options.path
  }
}
NetnsError.prototype.name = 'NetnsError'

/** True for a {@link NetnsError}, even if another copy of this package created the error. */
export function isNetnsError(error: unknown): error is NetnsError {
  return error instanceof Error && brand in error
}
