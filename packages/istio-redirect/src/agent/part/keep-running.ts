import { setTimeout as sleep } from 'node:timers/promises'
import { messageOf } from '@cni/types'
import type { ScopedLog } from './services.ts'

const FIRST_PAUSE_MS = 1000
const LONGEST_PAUSE_MS = 60_000

/** Runs something until the signal: what ends or fails before is told of, and started again after a pause that grows. */
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
      log.error(`${what} ended by itself; it is started again`, { pauseMs: pause })
    } catch (error) {
      if (signal.aborted) return
      log.error(`${what}: ${messageOf(error)}`, { pauseMs: pause })
    }
    // the pause ends with the agent
    await sleep(pause, undefined, { signal }).catch(() => {})
    pause = Math.min(pause * 2, LONGEST_PAUSE_MS)
  }
}
