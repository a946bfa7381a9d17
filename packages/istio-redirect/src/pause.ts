import { setTimeout as sleep } from 'node:timers/promises'

/** Waits for a number of milliseconds. Resolves with `false` as soon as the signal aborts. Never rejects. */
export const pause = (ms: number, signal: AbortSignal): Promise<boolean> =>
  sleep(ms, true, { signal }).catch(() => false)
