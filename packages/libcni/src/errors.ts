import { isInvokeError } from '@cni/invoke'
import { isCniError } from '@cni/types'

/**
 * Error of the runtime side: a network could not be loaded, attached, checked or detached.
 *
 * @example
 * ```ts
 * if (isRuntimeError(error) && error.code === 'CHECK_UNSUPPORTED') return
 * ```
 */
export class RuntimeError extends Error {
  /** Kind of failure. If a plugin failed, `cause` is the plugin's error with its CNI error code. */
  readonly code:
    | 'NO_CONFIG'
    | 'NOT_FOUND'
    | 'INVALID_CONFIG'
    | 'PLUGIN'
    | 'CACHE'
    | 'CHECK_UNSUPPORTED'
    | 'GC'
    | 'VALIDATE'
    | 'UNSAFE_NAME'
    | 'UNDO'
    | 'BUSY'
  /** Advice to the user of the runtime. */
  declare readonly hint?: string
  /** Index of the failed plugin in the network's list. Set only for a failed ADD. */
  declare readonly pluginIndex?: number

  constructor(
    code: RuntimeError['code'],
    message: string,
    options: { readonly hint?: string | undefined; readonly cause?: unknown; readonly pluginIndex?: number } = {},
  ) {
    super(message, 'cause' in options ? { cause: options.cause } : undefined)
    this.code = code
    if (options.hint) this.hint = options.hint
    if (options.pluginIndex !== undefined) this.pluginIndex = options.pluginIndex
  }

  static {
    Object.defineProperty(RuntimeError.prototype, 'name', { value: 'RuntimeError', configurable: true, writable: true })
  }
}

/** True for a {@link RuntimeError}, also from another copy of this package. */
export function isRuntimeError(value: unknown): value is RuntimeError {
  return value instanceof Error && value.name === 'RuntimeError'
}

/** Advice to the user, from the error or from the nearest cause that has advice. */
export function hintOf(error: unknown): string | undefined {
  const seen = new Set<unknown>()
  for (let one = error; one instanceof Error && !seen.has(one); one = one.cause) {
    seen.add(one)
    if ((isRuntimeError(one) || isInvokeError(one) || isCniError(one)) && 'hint' in one && typeof one.hint === 'string')
      return one.hint
  }
  return undefined
}
