/**
 * The error codes of the CNI specification, and the two (8, 999) that only its reference implementation uses.
 * Codes from 100 on belong to the plugin.
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
 * The member by which any error can say its CNI code without importing this package: `{ code, details? }`.
 * Found by key and not by class, so that it works across bundles.
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
 * An error with a CNI code: what a handler throws, and what a runtime reads from a failed plugin.
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
      /** The second part of the error on the wire. */
      readonly details?: string | undefined
      /** What to do about it; follows the details on the wire. */
      readonly hint?: string | undefined
      /** The error that led to this one; on the wire it stands where there are no details. */
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

/** Whether a value is an error with a CNI code of its own; its causes are not looked at. */
export function isCniError(
  value: unknown,
): value is Error & { readonly [cniErrorKey]: { readonly code: number; readonly details?: string | undefined } } {
  return value instanceof Error && carriedBy(value) !== undefined
}

/** The code an error carries itself, when it is one that can stand on the wire. */
export function carriedBy(error: object): CniError[typeof cniErrorKey] | undefined {
  const carried: unknown = Reflect.get(error, cniErrorKey)
  if (typeof carried !== 'object' || carried === null) return undefined
  const { code, details } = carried as { code?: unknown; details?: unknown }
  if (!isErrorCode(code)) return undefined
  return typeof details === 'string' && details !== '' ? { code, details } : { code }
}

/** Whether a number can be an error code: an unsigned 32-bit integer. */
export function isErrorCode(code: unknown): code is number {
  return typeof code === 'number' && Number.isInteger(code) && code >= 0 && code <= 0xffffffff
}
