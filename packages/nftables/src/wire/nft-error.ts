import { cniErrorKey, ErrorCode } from '@cni/types'
import type { Family } from './family.ts'

/** The difference between a ruleset and the kernel: in its tables everything counts, content and order. */
export interface Drift {
  /** Wanted, not there: tables, and what is in them. */
  readonly missing: readonly {
    readonly family: Family
    readonly table: string
    /** Of a chain and its rules. */
    readonly chain?: string
    readonly set?: string
    /** A rule, in words. */
    readonly rule?: string
  }[]
  /** There, not wanted. */
  readonly unexpected: Drift['missing']
  /** There, but not as it is wanted. */
  readonly changed: readonly (Drift['missing'][number] & {
    /** `order`: its rules are all there, in another order. */
    readonly reason: 'base' | 'policy' | 'comment' | 'order' | 'set' | 'elements' | 'dormant' | 'foreign'
    readonly expected: string
    readonly actual: string
  })[]
}

const brand = Symbol.for('cni.nftables.error')

/**
 * A failure of this package. The message is a sentence: what was refused, why, and what to do about it. Failures of the
 * socket are `NetnsError`s of `@cni/netns` (`NO_FFI`, `ENOBUFS`, `PROTOCOL` …) and pass unchanged. In a plugin `STALE`,
 * `CHANGED` and `ABORTED` become CNI code 11, try again later.
 *
 * @example
 * ```ts
 * import { isNftError } from '@cni/nftables/wire'
 *
 * export const unknownModule = (error: unknown) => isNftError(error) && error.faults.some(({ code }) => code === 'ENOENT')
 * ```
 */
export class NftError extends Error {
  /** Stable, for programs. */
  readonly code: /** A value that cannot be sent; nothing was. */
    | 'INVALID'
    /** The kernel refused at least one message, and so the whole batch: see `faults`. */
    | 'REFUSED'
    /** What was read is not what is there any more: the generation of the batch has passed. */
    | 'STALE'
    /** Others changed the rules again and again while we tried. */
    | 'CHANGED'
    /** No CAP_NET_ADMIN in the namespace. */
    | 'DENIED'
    /** The kernel has no nf_tables. */
    | 'UNSUPPORTED'
    /** What was asked about is not there. */
    | 'NOT_FOUND'
    /** A set of that name is there, and is another kind of set. */
    | 'EXISTS'
    /** The tables do not hold the ruleset: see `drift`. */
    | 'DRIFT'
    /** The signal of the context was given before anything was done. */
    | 'ABORTED'
  /** Each message of the batch that the kernel refused, in its order. */
  readonly faults: readonly {
    /** What was to be done, what the kernel said, and why it says so: a sentence. */
    readonly text: string
    /** Which change of the batch, from 0; -1 is the batch itself. */
    readonly index: number
    /** `ENOENT`. */
    readonly code: string
    readonly errno: number
    readonly kind?: 'table' | 'chain' | 'rule' | 'set' | 'element' | 'object' | 'flowtable' | undefined
    readonly family?: Family | undefined
    readonly table?: string | undefined
    readonly chain?: string | undefined
    readonly set?: string | undefined
    /** What the kernel did not like, when it says so: an attribute, or in a rule `expression 2 (immediate) data`. */
    readonly part?: string | undefined
    /** Which expression of the rule that is, from 0. */
    readonly expression?: number | undefined
    /** The refused rule, as `nft --stateless list ruleset` would have it; the wire alone, which has no words, does not say it. */
    readonly rule?: string | undefined
  }[]
  /** Of `DRIFT`: what differs. */
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

/** Whether `error` comes from this package; works across bundles, where `instanceof` does not. */
export function isNftError(error: unknown): error is NftError {
  return typeof error === 'object' && error !== null && brand in error
}

/** Throws the `INVALID` error of every check of a value. */
export function invalid(message: string): never {
  throw new NftError('INVALID', message)
}
