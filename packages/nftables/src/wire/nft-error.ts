import { cniErrorKey, ErrorCode } from '@cni/types'
import type { Family } from './family.ts'

/** Difference between a ruleset and the kernel. In the ruleset's tables all content counts, and the order of rules. */
export interface Drift {
  /** Wanted objects that are absent: tables, and their content. */
  readonly missing: readonly {
    readonly family: Family
    readonly table: string
    /** Missing chain, or the chain of a missing rule. */
    readonly chain?: string
    readonly set?: string
    /** Rule as text. */
    readonly rule?: string
  }[]
  /** Unwanted objects that exist. */
  readonly unexpected: Drift['missing']
  /** Wanted objects that exist with other properties. */
  readonly changed: readonly (Drift['missing'][number] & {
    /** Kind of difference. `order`: the chain has all rules, in another order. */
    readonly reason: 'base' | 'policy' | 'comment' | 'order' | 'set' | 'elements' | 'dormant' | 'foreign'
    readonly expected: string
    readonly actual: string
  })[]
}

const brand = Symbol.for('cni.nftables.error')

/**
 * A failure of this package. The message says what was refused, why, and what to do. Failures of the socket stay
 * `NetnsError`s of `@cni/netns` (`NO_FFI`, `ENOBUFS`, `PROTOCOL` …). In a plugin `STALE`, `CHANGED` and `ABORTED`
 * become CNI code 11, try again later.
 *
 * @example
 * ```ts
 * import { isNftError } from '@cni/nftables/wire'
 *
 * export const unknownModule = (error: unknown) => isNftError(error) && error.faults.some(({ code }) => code === 'ENOENT')
 * ```
 */
export class NftError extends Error {
  /** Stable code, for programs. */
  readonly code: /** A value is invalid; nothing was sent. */
    | 'INVALID'
    /** The kernel refused at least one message, and therefore the whole batch: see `faults`. */
    | 'REFUSED'
    /** The rules have changed since they were read: the batch is for an older generation. */
    | 'STALE'
    /** Other processes changed the rules during every retry. */
    | 'CHANGED'
    /** The process lacks CAP_NET_ADMIN in the namespace. */
    | 'DENIED'
    /** The kernel has no nf_tables. */
    | 'UNSUPPORTED'
    /** The requested object does not exist. */
    | 'NOT_FOUND'
    /** A set of that name exists, with another type. */
    | 'EXISTS'
    /** The tables differ from the ruleset: see `drift`. */
    | 'DRIFT'
    /** The signal was aborted before any change was made. */
    | 'ABORTED'
  /** Messages of the batch that the kernel refused, in order. */
  readonly faults: readonly {
    /** A sentence: the change, the kernel's error, and the reason. */
    readonly text: string
    /** Index of the change in the batch, from 0; -1 for the batch itself. */
    readonly index: number
    /** Name of the kernel's error, such as `ENOENT`. */
    readonly code: string
    readonly errno: number
    readonly kind?: 'table' | 'chain' | 'rule' | 'set' | 'element' | 'object' | 'flowtable' | undefined
    readonly family?: Family | undefined
    readonly table?: string | undefined
    readonly chain?: string | undefined
    readonly set?: string | undefined
    /** Part that the kernel refused, if it reports one: an attribute, or in a rule `expression 2 (immediate) data`. */
    readonly part?: string | undefined
    /** Index of the refused expression in the rule, from 0. */
    readonly expression?: number | undefined
    /** The refused rule, in the form of `nft --stateless list ruleset`. Absent in errors of `@cni/nftables/wire`. */
    readonly rule?: string | undefined
  }[]
  /** Differences, for the code `DRIFT`. */
  declare readonly drift?: Drift
  readonly [cniErrorKey]?: { readonly code: number; readonly details?: string | undefined }

  constructor(
    code: NftError['code'],
    message: string,
    options: { readonly cause?: unknown; readonly faults?: NftError['faults'] | undefined } = {},
  ) {
    super(message, 'cause' in options ? { cause: options.cause } : undefined)
    this.code = code
    this.faults = options.faults ?? []
    if (code === 'STALE' || code === 'CHANGED' || code === 'ABORTED') {
      this[cniErrorKey] = { code: ErrorCode.tryAgainLater }
    }
  }
}

Object.defineProperty(NftError.prototype, 'name', { value: 'NftError', configurable: true })
Object.defineProperty(NftError.prototype, brand, { value: true })

export type Fault = NftError['faults'][number]

/** True for an error of this package. Works across bundles, where `instanceof` does not. */
export function isNftError(error: unknown): error is NftError {
  return typeof error === 'object' && error !== null && brand in error
}

/** Throws an error with the code `INVALID`. */
export function invalid(message: string): never {
  throw new NftError('INVALID', message)
}
