import { cniErrorKey, ErrorCode } from '@cni/types'
import type { Drift } from './drift.ts'

const brand = Symbol.for('cni.iptables.error')

/** Codes of `IptablesError` for temporary errors. The plugin reports them as CNI code 11 ("try again later"). */
const laterCodes: readonly IptablesError['code'][] = ['LOCKED', 'CHANGED', 'TIMEOUT', 'ABORTED']

/** Maximum number of characters that the CNI error document quotes of a program's stderr. */
const MAX_DETAILS = 2000

/**
 * Error of this package. The message names the failed operation, its cause and a remedy.
 *
 * @example
 * ```ts
 * import { isIptablesError } from '@cni/iptables'
 *
 * export const needsInstall = (error: unknown) => isIptablesError(error) && error.code === 'NO_BINARY'
 * ```
 */
export class IptablesError extends Error {
  /** Stable error code, for programs that handle the error. */
  readonly code:
    | 'INVALID_RULE'
    | 'NO_BINARY'
    | 'NO_MODULE'
    | 'NO_CHAIN'
    | 'DENIED'
    | 'LOCKED'
    /** Error code: the kernel refused rules that netlink wrote, and no other error code names the reason. */
    | 'REFUSED'
    /** Error code: another program changed the rules during every attempt to write. */
    | 'CHANGED'
    | 'EXIT'
    | 'ABORTED'
    | 'TIMEOUT'
    | 'PARSE'
    | 'DRIFT'
  readonly stderr: string | undefined
  readonly input: string | undefined
  /** Differences that `verify` found. Set only for the code `DRIFT`. */
  readonly drift?: Drift
  readonly [cniErrorKey]?: { readonly code: number; readonly details?: string | undefined }

  constructor(
    code: IptablesError['code'],
    message: string,
    options: {
      readonly cause?: unknown
      /** Complete stderr of the iptables program that failed. */
      readonly stderr?: string | undefined
      /** Restore text that the iptables program or the kernel refused. */
      readonly input?: string | undefined
    } = {},
  ) {
    super(message, 'cause' in options ? { cause: options.cause } : undefined)
    this.code = code
    this.stderr = options.stderr
    this.input = options.input
    if (laterCodes.includes(code)) {
      this[cniErrorKey] = {
        code: ErrorCode.tryAgainLater,
        details: options.stderr?.trim().slice(0, MAX_DETAILS) || undefined,
      }
    }
  }
}

Object.defineProperty(IptablesError.prototype, 'name', { value: 'IptablesError', configurable: true })
Object.defineProperty(IptablesError.prototype, brand, { value: true })

/** True if a value is an `IptablesError`. Works across bundles, unlike `instanceof`. */
export function isIptablesError(error: unknown): error is IptablesError {
  return typeof error === 'object' && error !== null && brand in error
}

/** Throws an `IptablesError` with the code `INVALID_RULE`. All validators of this package use it. */
export function invalid(message: string): never {
  throw new IptablesError('INVALID_RULE', message)
}
