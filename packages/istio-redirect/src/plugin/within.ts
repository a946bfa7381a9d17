import { messageOf } from '@cni/types'

/**
 * Does something that may wait for others, and is back in time: at the deadline its signal aborts, and what has not come
 * to rest by then is waited for no longer. Rejects with what went wrong, and says when the time was over.
 */
export async function within<T>(ms: number, outer: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const over = new AbortController()
  const timers = [setTimeout(() => over.abort(), ms)]
  const abandoned = new Promise<never>((_, reject) => {
    timers.push(setTimeout(() => reject(new Error('what was begun does not end')), ms + settleMs))
  })
  try {
    return await Promise.race([work(AbortSignal.any([outer, over.signal])), abandoned])
  } catch (cause) {
    if (!over.signal.aborted) throw cause
    throw new Error(`${messageOf(cause)}: ${ms / 1000} s are over`, { cause })
  } finally {
    for (const timer of timers) clearTimeout(timer)
  }
}

/** A program gets 1.5 s to end by itself, and 1 s after SIGTERM until SIGKILL. */
const settleMs = 2750
