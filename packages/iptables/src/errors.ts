import { cniErrorKey, ErrorCode } from '@cni/types'
import type { Drift } from './drift.ts'

const brand = Symbol.for('cni.iptables.error')

/** Temporary errors: CNI code 11. */
const laterCodes: readonly IptablesError['code'][] = ['LOCKED', 'CHANGED', 'TIMEOUT', 'ABORTED']

/** Characters of a program's stderr in an error document. */
const MAX_DETAILS = 2000

/**
 * Every failure of this package. The message is a sentence: what failed, the offending value or the first line of
 * stderr, and what to do about it.
 *
 * @example
 * ```ts
 * import { isIptablesError } from '@cni/iptables'
 *
 * export const needsInstall = (error: unknown) => isIptablesError(error) && error.code === 'NO_BINARY'
 * ```
 */
export class IptablesError extends Error {
  /** Stable, for programs. */
  readonly code:
    | 'INVALID_RULE'
    | 'NO_BINARY'
    | 'NO_MODULE'
    | 'NO_CHAIN'
    | 'DENIED'
    | 'LOCKED'
    /** The kernel refused rules that were written by netlink, for a reason that is none of the others. */
    | 'REFUSED'
    /** Others changed the rules again and again while we tried. */
    | 'CHANGED'
    | 'EXIT'
    | 'ABORTED'
    | 'TIMEOUT'
    | 'PARSE'
    | 'DRIFT'
  readonly stderr: string | undefined
  readonly input: string | undefined
  /** The difference that `verify` found, with the code `DRIFT`. */
  readonly drift?: Drift
  readonly [cniErrorKey]?: { readonly code: number; readonly details?: string | undefined }

  constructor(
    code: IptablesError['code'],
    message: string,
    options: {
      readonly cause?: unknown
      /** The program's whole stderr, when a program failed. */
      readonly stderr?: string | undefined
      /** The restore text that was refused. */
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

/** Whether `error` comes from this package; works across bundles, where `instanceof` does not. */
export function isIptablesError(error: unknown): error is IptablesError {
  return typeof error === 'object' && error !== null && brand in error
}

/** Throws the `INVALID_RULE` error that every validator of this package uses. */
export function invalid(message: string): never {
  throw new IptablesError('INVALID_RULE', message)
}
