import { isKubeError } from '../kube-error.ts'
import { backoffMs } from './backoff.ts'
import { list } from './list.ts'
import { type ListWatchOptions, paused } from './list-watch-options.ts'
import { pageSize, type State } from './list-watch-state.ts'
import { watch } from './watch.ts'

/**
 * Lists the objects, then watches them, until the signal aborts. Repeats failed requests, with growing pauses. Keeps no
 * object in memory.
 */
export async function listWatch(options: ListWatchOptions): Promise<void> {
  const { observer, signal, random = Math.random } = options
  const watchSeconds = Math.round(300 + random() * 300)
  const state: State = {
    ...{ version: undefined, next: 'list', limit: pageSize, watchSeconds },
    ...{ failures: 0, expirations: 0 },
  }
  while (!signal.aborted) {
    try {
      if (state.next !== 'watch') await list(options, state)
      await watch(options, state)
    } catch (error) {
      if (signal.aborted) return
      if (!isKubeError(error)) throw error
      if (error.code === 'STATUS') refused(error.status, state)
      // Requests a new list after an invalid event, because later events are lost.
      if (error.code === 'BAD_ANSWER' && state.next === 'watch') state.next = 'list'
      state.failures += 1
      const ms = backoffMs(error, state.failures, random())
      observer.failed(error, ms)
      await paused(options, ms)
    }
  }
}

/** Chooses the next request after the API server has refused a list or watch with an HTTP status. */
function refused(status: number | undefined, state: State): void {
  // Lists from etcd, because the API server's cache lacks the requested version.
  if (state.next === 'list' && (status === 410 || status === 504)) state.next = 'list latest'
  if (status !== 410) return
  if (state.next === 'watch') state.next = 'list'
  // A server that answers 410 works, so only repeated 410 answers lengthen the pause.
  state.failures = state.expirations
  state.expirations += 1
}
