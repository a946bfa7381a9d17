/** Further fields of a line. Errors are written with message and stack. */
export type LogFields = Readonly<Record<string, unknown>>

/** Logger of one call. Writes JSON lines to stderr and to the plugin's sinks, never to stdout. */
export interface Log {
  /** Logs the failure of a call. */
  error(message: string, fields?: LogFields): void
  /** Logs something that needs attention. */
  warn(message: string, fields?: LogFields): void
  /** Logs a step of a call. */
  info(message: string, fields?: LogFields): void
  /** Logs details for debugging. */
  debug(message: string, fields?: LogFields): void
  /** Adds fields to all later lines of the call, also to the SDK's own. */
  bind(fields: LogFields): void
}

/**
 * Target of log lines besides stderr, such as a file or a socket.
 * A sink that throws is not used again in this call. Logging never fails a call.
 */
export interface LogSink {
  /** Receives one line, newline included. Called synchronously, in order. */
  write(line: string): void
  /** Called once at the end of the call. The call waits for it at most 1 s. */
  flush?(): Promise<void>
}

/** Return value of a plugin's `log` hook. */
export interface LogOptions {
  /** Least important level that is written. `silent` writes nothing, not even a failure. Default: `info`. */
  readonly level?: 'silent' | 'error' | 'warn' | 'info' | 'debug'
  /** Targets of lines besides stderr. */
  readonly sinks?: readonly LogSink[]
}

// internal

/** Level of a log line. */
export type LogLevel = NonNullable<LogOptions['level']>
