import { CniError, cniErrorKey, ErrorCode } from '@cni/types'

/**
 * A plugin that could not be looked up, asked or understood. On the wire it is code 999 with the same message.
 *
 * @example
 * ```ts
 * if (isInvokeError(error) && error.code === 'NOT_FOUND') install(error.plugin)
 * ```
 */
export class InvokeError extends Error {
  /** What went wrong on our side of the pipe; what the plugin itself did is a {@link PluginError}. */
  readonly code:
    | 'NO_NAME'
    | 'INVALID_NAME'
    | 'NO_PATHS'
    | 'NOT_FOUND'
    | 'INVALID_ARGS'
    | 'INVALID_CONF'
    | 'BAD_RESULT'
    | 'BAD_VERSION_INFO'
  /** The plugin type in question, as it was given. */
  readonly plugin: string
  /** What to do next. */
  declare readonly hint?: string

  constructor(
    code: InvokeError['code'],
    plugin: string,
    message: string,
    options: { readonly hint?: string; readonly cause?: unknown } = {},
  ) {
    super(message, 'cause' in options ? { cause: options.cause } : undefined)
    this.code = code
    this.plugin = plugin
    if (options.hint) this.hint = options.hint
  }

  get [cniErrorKey](): { readonly code: number; readonly details?: string | undefined } {
    return { code: ErrorCode.internal, details: this.hint }
  }

  static {
    Object.defineProperty(InvokeError.prototype, 'name', { value: 'InvokeError', configurable: true, writable: true })
  }
}

/** Whether a value is an {@link InvokeError}, from whichever copy of this package. */
export function isInvokeError(value: unknown): value is InvokeError {
  return value instanceof Error && value.name === 'InvokeError'
}

/**
 * A plugin that failed: with the code, message and details it printed, or with code 0 and a description of how it
 * ended, or with code 11 when trying again may help (deadline, caller gone, executable being replaced).
 *
 * @example
 * ```ts
 * if (isPluginError(error) && error.code === ErrorCode.tryAgainLater) retry()
 * ```
 */
export class PluginError extends CniError {
  readonly plugin: string
  /**
   * How the plugin failed: it said so itself, ended without saying why, printed something unreadable, did not start, was
   * busy being replaced, or was killed by us: at the deadline, because the caller gave up, or because it printed too much.
   */
  readonly reason: 'reported' | 'exit' | 'unreadable' | 'start' | 'busy' | 'timeout' | 'aborted' | 'output'
  readonly exitCode: number | null
  readonly signal: NodeJS.Signals | null
  readonly stderr: string

  constructor(
    code: number,
    message: string,
    facts: Pick<PluginError, 'plugin' | 'reason' | 'exitCode' | 'signal' | 'stderr'>,
    options?: ConstructorParameters<typeof CniError>[2],
  ) {
    super(code, message, options)
    this.plugin = facts.plugin
    this.reason = facts.reason
    this.exitCode = facts.exitCode
    this.signal = facts.signal
    this.stderr = facts.stderr
  }

  static {
    Object.defineProperty(PluginError.prototype, 'name', { value: 'PluginError', configurable: true, writable: true })
  }
}

/** Whether a value is a {@link PluginError}, from whichever copy of this package. */
export function isPluginError(value: unknown): value is PluginError {
  return value instanceof Error && value.name === 'PluginError'
}
