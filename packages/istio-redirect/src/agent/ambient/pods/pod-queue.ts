/** Queue of work on pods. Work on one pod runs sequentially. */
export interface PodQueue {
  /** Queues a reconciliation of a pod. A failed reconciliation is retried until it succeeds. */
  look(uid: string): void
  /** Runs a function after all queued work for the same pod. Does not retry. */
  run<T>(uid: string, work: () => Promise<T>): Promise<T>
  /** Resolves when no work on pods is running. Pauses before a retry do not count as work. */
  idle(): Promise<void>
}

/** Options of {@link podQueue}, the queue of work on pods. */
export interface PodQueueOptions {
  /** Reconciles one pod. The queue calls this function. */
  readonly look: (uid: string) => Promise<void>
  /** Called after each failed reconciliation of a pod, with the pause in milliseconds before the retry. */
  readonly failed: (uid: string, error: unknown, pauseMs: number) => void
  /** AbortSignal that ends the queue. Waiting calls of `run` reject with the abort's reason. */
  readonly signal: AbortSignal
  /** Maximum number of pods that are reconciled in parallel. Functions that `run` calls do not count. Default: 8. */
  readonly lookers?: number | undefined
  /** Returns the pause in milliseconds before a retry. Default: 100 ms, doubled up to 5 s. */
  readonly pause?: ((failures: number) => number) | undefined
}

/** Creates a queue of work on pods, initially empty. */
export function podQueue(options: PodQueueOptions): PodQueue {
  const { look, failed, signal, lookers = 8, pause = growing } = options
  const pods = new Map<string, Line>()
  /** UIDs of the pods that wait for a reconciliation, in order. */
  const wanted = new Set<string>()
  const running = new Set<Promise<unknown>>()
  let looking = 0

  const lineOf = (uid: string): Line => {
    const line = pods.get(uid) ?? { last: Promise.resolve(), waiting: 0, looks: false, failures: 0, timer: undefined }
    pods.set(uid, line)
    return line
  }
  const inTurn = <T>(uid: string, work: () => Promise<T>): Promise<T> => {
    const line = lineOf(uid)
    line.waiting += 1
    const done = line.last.then(work).finally(() => {
      line.waiting -= 1
      if (line.waiting === 0 && line.timer === undefined && !wanted.has(uid)) pods.delete(uid)
    })
    line.last = done.catch(() => {})
    const settled: Promise<unknown> = line.last.finally(() => running.delete(settled))
    running.add(settled)
    return done
  }
  const next = (): void => {
    for (const uid of wanted) {
      if (looking >= lookers) return
      const line = lineOf(uid)
      // Skips a busy pod, but keeps the pod queued, because the current reconciliation may miss changes.
      if (line.looks) continue
      looking += 1
      line.looks = true
      void inTurn(uid, () => one(uid, line)).finally(() => {
        looking -= 1
        line.looks = false
        next()
      })
    }
  }
  const one = async (uid: string, line: Line): Promise<void> => {
    if (signal.aborted) return
    wanted.delete(uid)
    try {
      await look(uid)
      line.failures = 0
    } catch (error) {
      if (signal.aborted) return
      line.failures += 1
      const ms = pause(line.failures)
      if (!wanted.has(uid)) line.timer = setTimeout(() => want(uid), ms)
      failed(uid, error, ms)
    }
  }
  const want = (uid: string): void => {
    if (signal.aborted) return
    const line = lineOf(uid)
    clearTimeout(line.timer)
    line.timer = undefined
    wanted.add(uid)
    next()
  }
  signal.addEventListener(
    'abort',
    () => {
      wanted.clear()
      for (const { timer } of pods.values()) clearTimeout(timer)
    },
    { once: true },
  )
  return {
    look: want,
    run: (uid, work) =>
      inTurn(uid, async () => {
        signal.throwIfAborted()
        return work()
      }),
    async idle() {
      while (running.size > 0) await Promise.all(running)
    },
  }
}

// internal

interface Line {
  /** Promise that settles after all queued work on the pod. */
  last: Promise<unknown>
  waiting: number
  /** True if a reconciliation of the pod is queued or running. */
  looks: boolean
  failures: number
  timer: NodeJS.Timeout | undefined
}

const growing = (failures: number): number => Math.min(100 * 2 ** Math.min(failures - 1, 10), 5000)
