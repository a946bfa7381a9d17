const STATUS = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const

/**
 * For a command whose programs have process groups of their own, which Ctrl-C does not reach. The first SIGINT, SIGTERM
 * or SIGHUP aborts the returned signal, so that the programs can be ended. It also sets `process.exitCode` to the usual
 * value of a shell (130, 143, 129). The second one ends the process as usual.
 *
 * @param reason - creates the reason of the abort.
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
