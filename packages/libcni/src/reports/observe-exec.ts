import type { Exec } from '@cni/invoke'

/** One execution of a plugin from both sides. */
export interface Execution {
  readonly request: Parameters<Exec['run']>[0]
  readonly outcome: Awaited<ReturnType<Exec['run']>>
}

/**
 * An {@link Exec} that tells of every execution once it ended, failures included, and changes nothing.
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
