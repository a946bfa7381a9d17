const brand = Symbol.for('cni.ebpf.error')

/**
 * Every failure of `@cni/ebpf` but that of a runtime without system calls (`NetnsError('NO_FFI')`). The message is a
 * sentence: what failed, the offending value, and what to do about it.
 */
export class EbpfError extends Error {
  /** Stable, for programs. The errno name (`EBUSY` …) when the kernel said no more. */
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
  /** The whole output of the verifier; the message has its last lines. */
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

/** Whether `error` comes from `@cni/ebpf`; works across bundles, where `instanceof` does not. */
export function isEbpfError(error: unknown): error is EbpfError {
  return typeof error === 'object' && error !== null && brand in error
}

/** Throws the `INVALID` error of every check of a value. */
export function invalid(message: string): never {
  throw new EbpfError('INVALID', message)
}

/** An integer within bounds. Throws `EbpfError('INVALID')` that names what it is of. */
export function checkInteger(value: unknown, least: number, most: number, name: string): number {
  if (typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most) return value
  return invalid(`${name}: expected an integer from ${least} to ${most}, got ${shown(value)}`)
}

/** A value as a message shows it. */
export function shown(value: unknown): string {
  return typeof value === 'bigint' ? `${value}n` : (JSON.stringify(value)?.slice(0, 80) ?? String(value))
}
