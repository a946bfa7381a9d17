/** Why an operation on a set failed; stable, for programs. */
export type SetErrorCode =
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

/** What an error may carry besides its message. */
export interface SetErrorOptions {
  readonly cause?: unknown
  /** The program's whole stderr, when `ipset` failed. */
  readonly stderr?: string | undefined
}

const brand = Symbol.for('cni.ipset.error')

/**
 * Every failure of `@cni/ipset`. The message is a sentence: what failed, the offending value or the refused
 * line, and what to do about it.
 *
 * @example
 * ```ts
 * import { isSetError } from '@cni/ipset'
 *
 * export const isReferenced = (error: unknown) => isSetError(error) && error.code === 'IN_USE'
 * ```
 */
export class SetError extends Error {
  readonly code: SetErrorCode
  readonly stderr: string | undefined

  constructor(code: SetErrorCode, message: string, options: SetErrorOptions = {}) {
    super(message, 'cause' in options ? { cause: options.cause } : undefined)
    this.code = code
    this.stderr = options.stderr
  }
}

Object.defineProperty(SetError.prototype, 'name', { value: 'SetError', configurable: true })
Object.defineProperty(SetError.prototype, brand, { value: true })

/** Whether `error` comes from `@cni/ipset`; works across bundles, where `instanceof` does not. */
export function isSetError(error: unknown): error is SetError {
  return typeof error === 'object' && error !== null && brand in error
}

/** Throws the `INVALID` error of every check of a value. */
export function invalid(message: string): never {
  throw new SetError('INVALID', message)
}
