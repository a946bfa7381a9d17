import { messageOf } from '@cni/types'
import { pause } from '../../pause.ts'
import type { ScopedLog } from './deps.ts'

const FIRST_PAUSE_MS = 1000
const MAX_PAUSE_MS = 60_000

/** Runs a function until the AbortSignal aborts. Calls the function again if it ends earlier. */
export async function keepRunning(
  what: string,
  run: () => Promise<void>,
  { log, signal }: { readonly log: ScopedLog; readonly signal: AbortSignal },
): Promise<void> {
  let pauseMs = FIRST_PAUSE_MS
  while (!signal.aborted) {
    try {
      await run()
      if (signal.aborted) return
      log.error(`${what} ended unexpectedly and is restarted`, { pauseMs })
    } catch (error) {
      if (signal.aborted) return
      log.error(`${what}: ${messageOf(error)}`, { pauseMs })
    }
    // The pause before the next call ends early when the AbortSignal aborts.
    await pause(pauseMs, signal)
    pauseMs = Math.min(pauseMs * 2, MAX_PAUSE_MS)
  }
}
