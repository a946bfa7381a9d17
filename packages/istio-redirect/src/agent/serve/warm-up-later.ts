import { setTimeout as delay } from 'node:timers/promises'
import type { MakeBatch } from '../../serve/kept-batches.ts'
import { warmUp } from '../../serve/warm-up.ts'

/**
 * Three times, each in a turn of its own; not at once, when the agent has to become ready.
 *
 * @param batch - used the last time: keeps what most pods need.
 */
export async function warmUpLater(signal: AbortSignal, batch?: MakeBatch): Promise<void> {
  try {
    for (const make of [undefined, undefined, batch]) {
      await delay(WARM_UP_MS, undefined, { signal, ref: false })
      await warmUp(make)
    }
  } catch {
    // The agent ends.
  }
}

/** Milliseconds from when it serves to the first decision about no pod, and between them. */
const WARM_UP_MS = 300
