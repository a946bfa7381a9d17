import { CniError, cniErrorKey, ErrorCode } from '@cni/types'

/**
 * Error for a plugin that has invalid output or cannot be called. Has code 999 in a CNI error document.
 *
 * @example
 * ```ts
 * if (isInvokeError(error) && error.code === 'NOT_FOUND') install(error.plugin)
 * ```
 */
export class InvokeError extends Error {
  /** Kind of the error. The plugin's own failure is a {@link PluginError}. */
  readonly code:
    | 'NO_NAME'
    | 'INVALID_NAME'
    | 'NO_PATHS'
    | 'NOT_FOUND'
    | 'INVALID_ARGS'
    | 'INVALID_CONF'
    | 'BAD_RESULT'
    | 'BAD_VERSION_INFO'
  /** Type of the called plugin, as given by the caller. */
  readonly plugin: string
  /** Advice to the user about the failed plugin call. */
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

/** True for an {@link InvokeError}, also from another copy of this package. */
export function isInvokeError(value: unknown): value is InvokeError {
  return value instanceof Error && value.name === 'InvokeError'
}

/**
 * Error for a plugin that failed. The error code is:
 * - the plugin's own code, with the plugin's message and details.
 * - 0, with the exit status, if the plugin printed no error.
 * - 11, if a retry may help.
 *
 * @example
 * ```ts
 * if (isPluginError(error) && error.code === ErrorCode.tryAgainLater) retry()
 * ```
 */
export class PluginError extends CniError {
  readonly plugin: string
  /**
   * Kind of the plugin's failure:
   * - `reported`: the plugin printed an error document.
   * - `exit`: the plugin failed and printed nothing to stdout.
   * - `unreadable`: the plugin's output is not an error document.
   * - `start`: the plugin did not start.
   * - `busy`: the plugin's executable was being replaced.
   * - `timeout`: the plugin was killed at the deadline.
   * - `aborted`: the plugin was killed after an abort.
   * - `output`: the plugin was killed after too much output.
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

/** True for a {@link PluginError}, also from another copy of this package. */
export function isPluginError(value: unknown): value is PluginError {
  return value instanceof Error && value.name === 'PluginError'
}
