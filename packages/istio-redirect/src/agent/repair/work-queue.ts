import type { RetryPause } from './retries.ts'

/** Settings of a {@link workQueue}. */
export interface WorkQueueOptions {
  /** Done for one key at a time. */
  readonly work: (key: string) => Promise<void>
  /** Told about every failure; `false`: it was the last attempt. */
  readonly failed: (key: string, error: unknown, again: boolean) => void
  readonly maxAttempts: number
  readonly pause: RetryPause
  readonly signal: AbortSignal
  /** For tests. Returns how to cancel. */
  readonly after?: (ms: number, then: () => void) => () => void
}

/** Keys to be worked on: each once, however often it is added, and again after a failure. */
export interface WorkQueue {
  /** Gives the key all its attempts again. */
  add(key: string): void
  /** Settles when the work that runs has ended. */
  idle(): Promise<void>
}

interface Entry {
  failures: number
  /** Added while it was worked on. */
  again: boolean
  cancel: (() => void) | undefined
}

/** Starts a queue with one worker; after the signal nothing new is begun. */
export function workQueue(options: WorkQueueOptions): WorkQueue {
  const { work, failed, maxAttempts, pause, signal, after = onTimer } = options
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
    // Never within add(): the caller has not finished.
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
