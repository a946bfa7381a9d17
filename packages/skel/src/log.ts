/** What else belongs to a line. Errors are written with their message and stack. */
export type LogFields = Readonly<Record<string, unknown>>

/** The logger of one call. It writes JSON lines to stderr and to the plugin's own sinks, never to stdout. */
export interface Log {
  /** Logs why the call fails. */
  error(message: string, fields?: LogFields): void
  /** Logs what a human should look at. */
  warn(message: string, fields?: LogFields): void
  /** Logs a step of a call. */
  info(message: string, fields?: LogFields): void
  /** Logs details for whoever looks for a fault. */
  debug(message: string, fields?: LogFields): void
  /** Adds fields to every line of the call from here on, also to those that are not the plugin's own. */
  bind(fields: LogFields): void
}

/**
 * Where log lines go besides stderr: a file, a socket. A sink that throws is left out from then on; logging never
 * fails a call.
 */
export interface LogSink {
  /** Takes one line, newline included. Called synchronously, in order. */
  write(line: string): void
  /** Called once at the end of the call, and awaited for at most 1 s. */
  flush?(): Promise<void>
}

/** What a plugin's `log` hook decides. */
export interface LogOptions {
  /** The least important level that is written. `silent` writes none, not even why a call failed. Default: `info`. */
  readonly level?: 'silent' | 'error' | 'warn' | 'info' | 'debug'
  /** Where lines go besides stderr. */
  readonly sinks?: readonly LogSink[]
}

// internal

/** Level of a log line. */
export type LogLevel = NonNullable<LogOptions['level']>
