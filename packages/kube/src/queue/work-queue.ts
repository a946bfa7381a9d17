import { retryPause } from './retry-pause.ts'

interface Entry {
  failures: number
  /** True if a caller added the key again while the queue was processing the key. */
  again: boolean
  cancel: (() => void) | undefined
}

/**
 * Creates a queue of keys with one worker, as in Kubernetes controllers. A key is queued once, however often it is
 * added. A failed key is retried after 5 ms to 1000 s. All keys together get 10 retries a second, with bursts of 100.
 * No work starts after the signal has aborted.
 */
export function workQueue(options: {
  /** Does the work for one key. The queue never runs two keys at the same time. */
  readonly work: (key: string) => Promise<void>
  /** Called after each failed attempt for a key. `again` is true if the queue will retry the key. */
  readonly failed: (key: string, error: unknown, again: boolean) => void
  readonly maxAttempts: number
  readonly signal: AbortSignal
  /** Computes the milliseconds before a key's next retry from the number of the key's failures. */
  readonly pause?: (failures: number) => number
  /**
   * Replaces timers in tests: calls the function `then` after `ms` milliseconds. Returns a function that cancels the
   * call.
   */
  readonly after?: (ms: number, then: () => void) => () => void
}): {
  /**
   * Adds a key to the queue. A key that waits for a retry is queued at once. A key whose work is running is queued
   * again afterwards.
   */
  add(key: string): void
  /** Settles when the work that is running now has ended. */
  idle(): Promise<void>
} {
  const { work, failed, maxAttempts, signal, pause = retryPause(), after = onTimer } = options
  const entries = new Map<string, Entry>()
  const ready: string[] = []
  let running: { readonly key: string; readonly done: Promise<void> } | undefined

  signal.addEventListener(
    'abort',
    () => {
      for (const { cancel } of entries.values()) cancel?.()
      ready.length = 0
    },
    { once: true },
  )

  return {
    add(key) {
      if (signal.aborted) return
      const entry = entries.get(key)
      if (entry === undefined) {
        entries.set(key, { failures: 0, again: false, cancel: undefined })
        ready.push(key)
      } else if (running?.key === key) {
        entry.again = true
      } else {
        entry.failures = 0
        if (entry.cancel !== undefined) retryNow(key, entry)
      }
      next()
    },
    idle: async () => running?.done,
  }

  function next(): void {
    if (running !== undefined || signal.aborted) return
    const key = ready.shift()
    if (key !== undefined) running = { key, done: one(key) }
  }

  async function one(key: string): Promise<void> {
    // Lets the caller of `add()` finish its own code first. The key is processed only after `add()` has returned.
    await undefined
    const entry = entries.get(key) ?? { failures: 0, again: false, cancel: undefined }
    entry.again = false
    try {
      await work(key)
      entry.failures = 0
      settle(key, entry, undefined)
    } catch (error) {
      entry.failures += 1
      const again = entry.again || entry.failures < maxAttempts
      failed(key, error, again && !signal.aborted)
      settle(key, entry, again ? entry.failures : undefined)
    } finally {
      running = undefined
      next()
    }
  }

  function settle(key: string, entry: Entry, failures: number | undefined): void {
    if (signal.aborted) return
    if (entry.again) {
      entry.again = false
      entry.failures = 0
      ready.push(key)
    } else if (failures === undefined) {
      entries.delete(key)
    } else {
      entry.cancel = after(pause(failures), () => {
        retryNow(key, entry)
        next()
      })
    }
  }

  function retryNow(key: string, entry: Entry): void {
    entry.cancel?.()
    entry.cancel = undefined
    ready.push(key)
  }
}

function onTimer(ms: number, then: () => void): () => void {
  const timer = setTimeout(then, ms)
  return () => clearTimeout(timer)
}
