const brand = Symbol.for('cni.ipset.error')

/**
 * Error of `@cni/ipset`. The message names the problem, the invalid value or refused line, and a remedy.
 *
 * @example
 * ```ts
 * import { isSetError } from '@cni/ipset'
 *
 * export const isReferenced = (error: unknown) => isSetError(error) && error.code === 'IN_USE'
 * ```
 */
export class SetError extends Error {
  /** Stable code of the error, by which a program can distinguish errors. */
  readonly code:
    | 'INVALID'
    | 'EXISTS'
    | 'NOT_FOUND'
    | 'IN_USE'
    | 'FULL'
    | 'NO_BINARY'
    | 'NO_KERNEL'
    | 'NO_NETLINK'
    | 'EXIT'
    | 'ABORTED'
    | 'TIMEOUT'
    | 'PARSE'
  /** Complete stderr of the program `ipset`, if the program failed. */
  readonly stderr: string | undefined

  constructor(
    code: SetError['code'],
    message: string,
    options: { readonly cause?: unknown; readonly stderr?: string | undefined } = {},
  ) {
    super(message, 'cause' in options ? { cause: options.cause } : undefined)
    this.code = code
    this.stderr = options.stderr
  }
}

Object.defineProperty(SetError.prototype, 'name', { value: 'SetError', configurable: true })
Object.defineProperty(SetError.prototype, brand, { value: true })

/** True for an error of `@cni/ipset`. Works across bundles, where `instanceof` does not. */
export function isSetError(error: unknown): error is SetError {
  return typeof error === 'object' && error !== null && brand in error
}

/** Throws a `SetError` with the code `INVALID`. */
export function invalid(message: string): never {
  throw new SetError('INVALID', message)
}
