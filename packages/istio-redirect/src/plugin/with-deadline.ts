import { messageOf } from '@cni/types'

/** Runs `work`. Aborts the signal of `work` at the deadline. Rejects if `work` does not settle. */
export async function withDeadline<T>(
  ms: number,
  outer: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const over = new AbortController()
  const timers = [setTimeout(() => over.abort(), ms)]
  const abandoned = new Promise<never>((_, reject) => {
    timers.push(setTimeout(() => reject(new Error('the work does not end')), ms + SETTLE_MS))
  })
  try {
    return await Promise.race([work(AbortSignal.any([outer, over.signal])), abandoned])
  } catch (cause) {
    if (!over.signal.aborted) throw cause
    throw new Error(`${messageOf(cause)}: the deadline of ${ms / 1000} s has passed`, { cause })
  } finally {
    for (const timer of timers) clearTimeout(timer)
  }
}

/** Milliseconds after the deadline until `withDeadline` gives up, because programs need time to end. */
const SETTLE_MS = 2750
