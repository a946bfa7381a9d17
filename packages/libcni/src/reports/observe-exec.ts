import type { Exec } from '@cni/invoke'

/** Input and outcome of one plugin call. */
export interface Execution {
  readonly request: Parameters<Exec['run']>[0]
  readonly outcome: Awaited<ReturnType<Exec['run']>>
}

/**
 * Wraps an {@link Exec} to report every plugin call at its end. Also reports failed calls.
 *
 * @example
 * ```ts
 * const exec = observeExec(realExec(), ({ request, outcome }) => log(request.path, outcome.durationMs))
 * ```
 */
export function observeExec(exec: Exec, observe: (execution: Execution) => void): Exec {
  return {
    find: (plugin, paths) => exec.find(plugin, paths),
    async run(request) {
      const outcome = await exec.run(request)
      observe({ request, outcome })
      return outcome
    },
  }
}
