/** Further fields of a log line. Errors are written with message and stack. */
export type LogFields = Readonly<Record<string, unknown>>

/** Logger of one CNI call. Writes JSON lines to stderr and to the plugin's log sinks, never to stdout. */
export interface Log {
  /** Logs at level error: a failure of the call. */
  error(message: string, fields?: LogFields): void
  /** Logs at level warn: an event that needs attention. */
  warn(message: string, fields?: LogFields): void
  /** Logs at level info: a step of the call. */
  info(message: string, fields?: LogFields): void
  /** Logs at level debug: details for finding a problem. */
  debug(message: string, fields?: LogFields): void
  /** Adds fields to all later log lines of the call, also to lines that the SDK itself logs. */
  bind(fields: LogFields): void
}

/**
 * Target of log lines besides stderr, such as a file. A sink that throws is not used again. Logging never fails a call.
 */
export interface LogSink {
  /** Receives one log line, newline included. Called synchronously, in order. */
  write(line: string): void
  /** Writes buffered lines. Called once at the end of the call, which waits at most 1 s. */
  flush?(): Promise<void>
}

/** Return value of a plugin's `log` hook: level and sinks of the log. */
export interface LogOptions {
  /**
   * Least important level of log lines that are written. `silent` writes nothing, not even a failure. Default: `info`.
   */
  readonly level?: 'silent' | 'error' | 'warn' | 'info' | 'debug'
  /** Targets of log lines besides stderr. */
  readonly sinks?: readonly LogSink[]
}

// internal

/** Level of a log line. */
export type LogLevel = NonNullable<LogOptions['level']>
