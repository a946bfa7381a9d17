/** Queue of work on pods. Work on one pod runs sequentially. */
export interface PodQueue {
  /** Queues a reconciliation of a pod. A failed reconciliation is retried until it succeeds. */
  enqueue(uid: string): void
  /** Runs a function after all queued work for the same pod. Does not retry. */
  run<T>(uid: string, work: () => Promise<T>): Promise<T>
  /** Resolves when no work on pods is running. Pauses before a retry do not count as work. */
  idle(): Promise<void>
}

/** Options of {@link podQueue}, the queue of work on pods. */
export interface PodQueueOptions {
  /** Reconciles one pod. The queue calls this function. */
  readonly reconcile: (uid: string) => Promise<void>
  /** Called after each failed reconciliation of a pod, with the pause in milliseconds before the retry. */
  readonly failed: (uid: string, error: unknown, pauseMs: number) => void
  /** AbortSignal that ends the queue. Waiting calls of `run` reject with the abort's reason. */
  readonly signal: AbortSignal
  /** Maximum number of pods that are reconciled in parallel. Functions that `run` calls do not count. Default: 8. */
  readonly concurrency?: number | undefined
  /** Returns the pause in milliseconds before a retry. Default: 100 ms, doubled up to 5 s. */
  readonly pause?: ((failures: number) => number) | undefined
}

/** Creates a queue of work on pods, initially empty. */
export function podQueue(options: PodQueueOptions): PodQueue {
  const { reconcile, failed, signal, concurrency = 8, pause = backoff } = options
  const pods = new Map<string, PodEntry>()
  /** UIDs of the pods that wait for a reconciliation, in order. */
  const queued = new Set<string>()
  const running = new Set<Promise<unknown>>()
  let active = 0

  const entryOf = (uid: string): PodEntry => {
    const entry = pods.get(uid) ?? {
      last: Promise.resolve(),
      waiting: 0,
      isReconciling: false,
      failures: 0,
      timer: undefined,
    }
    pods.set(uid, entry)
    return entry
  }
  const exclusive = <T>(uid: string, work: () => Promise<T>): Promise<T> => {
    const entry = entryOf(uid)
    entry.waiting += 1
    const done = entry.last.then(work).finally(() => {
      entry.waiting -= 1
      if (entry.waiting === 0 && entry.timer === undefined && !queued.has(uid)) pods.delete(uid)
    })
    entry.last = done.catch(() => {})
    const settled: Promise<unknown> = entry.last.finally(() => running.delete(settled))
    running.add(settled)
    return done
  }
  const next = (): void => {
    for (const uid of queued) {
      if (active >= concurrency) return
      const entry = entryOf(uid)
      // Skips a busy pod, but keeps the pod queued, because the current reconciliation may miss changes.
      if (entry.isReconciling) continue
      active += 1
      entry.isReconciling = true
      void exclusive(uid, () => reconcileOne(uid, entry)).finally(() => {
        active -= 1
        entry.isReconciling = false
        next()
      })
    }
  }
  const reconcileOne = async (uid: string, entry: PodEntry): Promise<void> => {
    if (signal.aborted) return
    queued.delete(uid)
    try {
      await reconcile(uid)
      entry.failures = 0
    } catch (error) {
      if (signal.aborted) return
      entry.failures += 1
      const ms = pause(entry.failures)
      if (!queued.has(uid)) entry.timer = setTimeout(() => enqueue(uid), ms)
      failed(uid, error, ms)
    }
  }
  const enqueue = (uid: string): void => {
    if (signal.aborted) return
    const entry = entryOf(uid)
    clearTimeout(entry.timer)
    entry.timer = undefined
    queued.add(uid)
    next()
  }
  signal.addEventListener(
    'abort',
    () => {
      queued.clear()
      for (const { timer } of pods.values()) clearTimeout(timer)
    },
    { once: true },
  )
  return {
    enqueue,
    run: (uid, work) =>
      exclusive(uid, async () => {
        signal.throwIfAborted()
        return work()
      }),
    async idle() {
      while (running.size > 0) await Promise.all(running)
    },
  }
}

// internal

interface PodEntry {
  /** Promise that settles after all queued work on the pod. */
  last: Promise<unknown>
  waiting: number
  /** True if a reconciliation of the pod is queued or running. */
  isReconciling: boolean
  failures: number
  timer: NodeJS.Timeout | undefined
}

const backoff = (failures: number): number => Math.min(100 * 2 ** Math.min(failures - 1, 10), 5000)
