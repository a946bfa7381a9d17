const brand = Symbol.for('cni.ebpf.error')

/**
 * Error of `@cni/ebpf`. The message names the problem, the invalid value and a remedy. A runtime that cannot make
 * system calls causes `NetnsError('NO_FFI')` instead.
 */
export class EbpfError extends Error {
  /** Stable error code, for programs. If no specific code fits, it is the kernel's errno name, such as `EBUSY`. */
  readonly code:
    | 'INVALID'
    | 'VERIFIER'
    | 'NOT_SUPPORTED'
    | 'EPERM'
    | 'NO_BPFFS'
    | 'NOT_FOUND'
    | 'EXISTS'
    | 'MISMATCH'
    | 'FULL'
    | 'NO_LINK'
    | 'CLOSED'
    | (string & {})
  /** Complete output of the kernel's BPF verifier. The error message contains the last lines of this output. */
  readonly log: string | undefined

  constructor(
    code: EbpfError['code'],
    message: string,
    options: { readonly cause?: unknown; readonly log?: string | undefined } = {},
  ) {
    super(message, 'cause' in options ? { cause: options.cause } : undefined)
    this.code = code
    this.log = options.log
  }
}

Object.defineProperty(EbpfError.prototype, 'name', { value: 'EbpfError', configurable: true })
Object.defineProperty(EbpfError.prototype, brand, { value: true })

/** True for an error of `@cni/ebpf`. Works across bundles, where `instanceof` does not. */
export function isEbpfError(error: unknown): error is EbpfError {
  return typeof error === 'object' && error !== null && brand in error
}

/** Throws an `EbpfError` with the code `INVALID`. */
export function invalid(message: string): never {
  throw new EbpfError('INVALID', message)
}

/** Throws `EbpfError('INVALID')` unless a value is an integer within bounds. The message has the name of the value. */
export function checkInteger(value: unknown, least: number, most: number, name: string): number {
  if (typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most) return value
  return invalid(`${name}: expected an integer from ${least} to ${most}, got ${describeValue(value)}`)
}

/** Formats a value for an error message. */
export function describeValue(value: unknown): string {
  return typeof value === 'bigint' ? `${value}n` : (JSON.stringify(value)?.slice(0, 80) ?? String(value))
}
