/**
 * Error codes of the CNI specification. Only its reference implementation uses 8 and 999. Codes from 100 on belong to
 * the plugin.
 */
export const ErrorCode = {
  incompatibleVersion: 1,
  unsupportedField: 2,
  unknownContainer: 3,
  invalidEnvironment: 4,
  ioFailure: 5,
  decodingFailure: 6,
  invalidNetworkConfig: 7,
  invalidNetns: 8,
  tryAgainLater: 11,
  pluginNotAvailable: 50,
  limitedConnectivity: 51,
  internal: 999,
} as const

/**
 * Symbol of the member `{ code, details? }` with an error's CNI code. Needs no import of this package, because all
 * bundles share the symbol.
 *
 * @example
 * ```ts
 * const key: unique symbol = Symbol.for('cni.error')
 * class DriftError extends Error {
 *   readonly [key] = { code: 100, details: 'rule 3 is gone' }
 * }
 * ```
 */
export const cniErrorKey: unique symbol = Symbol.for('cni.error')

/**
 * An error with a CNI code. A plugin's handlers throw it.
 *
 * @example
 * ```ts
 * throw new CniError(ErrorCode.tryAgainLater, 'the agent is not up', { hint: 'is its DaemonSet running?' })
 * ```
 */
export class CniError extends Error {
  readonly code: number
  declare readonly details?: string
  declare readonly hint?: string

  constructor(
    code: number,
    message: string,
    options: {
      /** Details of the error, which become `details` in the CNI error document. */
      readonly details?: string | undefined
      /** Advice to the user. It is appended to `details` in the CNI error document. */
      readonly hint?: string | undefined
      /** Cause of the error. Its messages become `details` in the error document, unless `details` is set. */
      readonly cause?: unknown
    } = {},
  ) {
    super(message, 'cause' in options ? { cause: options.cause } : undefined)
    this.code = code
    if (options.details) this.details = options.details
    if (options.hint) this.hint = options.hint
  }

  get [cniErrorKey](): { readonly code: number; readonly details?: string | undefined } {
    return { code: this.code, details: [this.details, this.hint].filter(Boolean).join('; ') || undefined }
  }

  static {
    Object.defineProperty(CniError.prototype, 'name', { value: 'CniError', configurable: true, writable: true })
  }
}

/** True if the error itself carries a CNI code. The codes of its causes are ignored. */
export function isCniError(
  value: unknown,
): value is Error & { readonly [cniErrorKey]: { readonly code: number; readonly details?: string | undefined } } {
  return value instanceof Error && carriedBy(value) !== undefined
}

/** CNI code and details that an error itself carries. `undefined` if the error has no valid CNI code. */
export function carriedBy(error: object): CniError[typeof cniErrorKey] | undefined {
  const carried: unknown = Reflect.get(error, cniErrorKey)
  if (typeof carried !== 'object' || carried === null) return undefined
  const { code, details } = carried as { code?: unknown; details?: unknown }
  if (!isErrorCode(code)) return undefined
  return typeof details === 'string' && details !== '' ? { code, details } : { code }
}

/** True for a valid CNI error code: an unsigned 32-bit integer. */
export function isErrorCode(code: unknown): code is number {
  return typeof code === 'number' && Number.isInteger(code) && code >= 0 && code <= 0xffffffff
}
