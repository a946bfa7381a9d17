const STATUS = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const

/**
 * For a command whose programs are in process groups of their own, which a Ctrl-C does not reach: the first SIGINT,
 * SIGTERM or SIGHUP aborts, so that they can be ended, and sets `process.exitCode` to what a shell expects (130, 143,
 * 129). The second ends the process as usual.
 *
 * @param reason what the work is aborted with.
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
