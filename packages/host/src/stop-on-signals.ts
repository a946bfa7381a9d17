const STATUS = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const

/**
 * Signal for a command that starts programs in process groups of their own, which Ctrl-C does not reach. The first
 * SIGINT, SIGTERM or SIGHUP aborts the returned signal, so that the command can end its programs. It also sets
 * `process.exitCode` to the usual value of a shell (130, 143, 129). The second SIGINT, SIGTERM or SIGHUP ends the
 * process as usual.
 *
 * @param reason - creates the abort reason from the name of the received signal.
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
