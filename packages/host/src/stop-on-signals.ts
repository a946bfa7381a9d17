const STATUS = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const

/**
 * Returns an AbortSignal for a command that starts programs in their own process groups. Ctrl-C does not reach these
 * groups, so the command must end its programs.
 *
 * The first SIGINT, SIGTERM or SIGHUP aborts the AbortSignal. That process signal also sets `process.exitCode` to 130,
 * 143 or 129, as a shell does. A second SIGINT, SIGTERM or SIGHUP ends the process as usual.
 *
 * @param reason - creates the abort reason from the name of the process signal, such as `SIGINT`.
 * @example
 * ```ts
 * const signal = stopOnSignals((name) => new Error(`my-command received ${name}`))
 * ```
 */
export function stopOnSignals(reason: (signal: keyof typeof STATUS) => Error): AbortSignal {
  const stop = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.once(signal, () => {
      process.exitCode = STATUS[signal]
      stop.abort(reason(signal))
    })
  }
  return stop.signal
}
