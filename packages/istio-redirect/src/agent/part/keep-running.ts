import { setTimeout as sleep } from 'node:timers/promises'
import { messageOf } from '@cni/types'
import type { ScopedLog } from './services.ts'

const FIRST_PAUSE_MS = 1000
const LONGEST_PAUSE_MS = 60_000

/** Runs a function until the AbortSignal aborts. Repeats the call after an early end. */
export async function keepRunning(
  what: string,
  run: () => Promise<void>,
  { log, signal }: { readonly log: ScopedLog; readonly signal: AbortSignal },
): Promise<void> {
  let pause = FIRST_PAUSE_MS
  while (!signal.aborted) {
    try {
      await run()
      if (signal.aborted) return
      log.error(`${what} ended unexpectedly and is restarted`, { pauseMs: pause })
    } catch (error) {
      if (signal.aborted) return
      log.error(`${what}: ${messageOf(error)}`, { pauseMs: pause })
    }
    // The pause before the next call ends early when the AbortSignal aborts.
    await sleep(pause, undefined, { signal }).catch(() => {})
    pause = Math.min(pause * 2, LONGEST_PAUSE_MS)
  }
}
