import { cniErrorKey, ErrorCode } from '@cni/types'
import type { Family } from './family.ts'

/** Differences between a ruleset and the kernel, including the order of rules. */
export interface Drift {
  /** Objects of the ruleset that are missing in the kernel: tables, chains, sets and rules. */
  readonly missing: readonly {
    readonly family: Family
    readonly table: string
    /** Name of the missing chain, or of the chain of a missing rule. */
    readonly chain?: string
    readonly set?: string
    /** Text of the missing rule, as `nft list` prints rules. */
    readonly rule?: string
  }[]
  /** Objects in the kernel that are not in the ruleset: chains, sets and rules. */
  readonly unexpected: Drift['missing']
  /** Objects of the ruleset that have other properties in the kernel. */
  readonly changed: readonly (Drift['missing'][number] & {
    /** Kind of difference between ruleset and kernel. `order`: the chain has all rules, in another order. */
    readonly reason: 'base' | 'policy' | 'comment' | 'order' | 'set' | 'elements' | 'dormant' | 'foreign'
    readonly expected: string
    readonly actual: string
  })[]
}

const brand = Symbol.for('cni.nftables.error')

/**
 * Error of this package. The message names the refused change, the reason and a remedy. Errors of the netlink socket
 * remain errors of the class `NetnsError`. A plugin reports `STALE`, `CHANGED` and `ABORTED` as CNI code 11 (try again
 * later).
 *
 * @example
 * ```ts
 * import { isNftError } from '@cni/nftables/wire'
 *
 * export const unknownModule = (error: unknown) => isNftError(error) && error.faults.some(({ code }) => code === 'ENOENT')
 * ```
 */
export class NftError extends Error {
  /** Code of the error. Each code keeps its meaning in all versions. */
  readonly code: /** Code `INVALID`: an argument is invalid; nothing was sent. */
    | 'INVALID'
    /**
     * Code `REFUSED`: the kernel refused at least one message of a batch, and therefore the whole batch. See `faults`.
     */
    | 'REFUSED'
    /** Code `STALE`: another process has changed rules since the rules were read. */
    | 'STALE'
    /** Code `CHANGED`: other processes changed rules during every retry. */
    | 'CHANGED'
    /** Code `DENIED`: the process lacks CAP_NET_ADMIN in the namespace. */
    | 'DENIED'
    /** Code `UNSUPPORTED`: the kernel has no nf_tables. */
    | 'UNSUPPORTED'
    /** Code `NOT_FOUND`: the requested object does not exist. */
    | 'NOT_FOUND'
    /** Code `EXISTS`: a set with the name exists with another type. */
    | 'EXISTS'
    /** Code `DRIFT`: the kernel's tables differ from the ruleset. See `drift`. */
    | 'DRIFT'
    /** Code `ABORTED`: the AbortSignal was aborted before any change was made. */
    | 'ABORTED'
  /** Faults of a refused batch: one for each message that the kernel refused, in order. */
  readonly faults: readonly {
    /** Text of the fault: the change, the kernel's error, and the reason. */
    readonly text: string
    /** Index of the refused change in the batch, from 0. -1 for the batch itself. */
    readonly index: number
    /** Name of the kernel's errno, such as `ENOENT`. */
    readonly code: string
    readonly errno: number
    readonly kind?: 'table' | 'chain' | 'rule' | 'set' | 'element' | 'object' | 'flowtable' | undefined
    readonly family?: Family | undefined
    readonly table?: string | undefined
    readonly chain?: string | undefined
    readonly set?: string | undefined
    /**
     * Name of the attribute that the kernel refused, if reported. For a rule, it includes the expression, such as
     * `expression 2 (immediate) data`.
     */
    readonly part?: string | undefined
    /** Index of the refused expression in the rule, from 0. */
    readonly expression?: number | undefined
    /**
     * Text of the refused rule, in the form of `nft --stateless list ruleset`. Absent in errors of
     * `@cni/nftables/wire`.
     */
    readonly rule?: string | undefined
  }[]
  /** Differences between ruleset and kernel, for the code `DRIFT`. */
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

/** True for an `NftError`. Also works if another copy of the package created the error, where `instanceof` does not. */
export function isNftError(error: unknown): error is NftError {
  return typeof error === 'object' && error !== null && brand in error
}

/** Throws an `NftError` with the code `INVALID`. */
export function invalid(message: string): never {
  throw new NftError('INVALID', message)
}
