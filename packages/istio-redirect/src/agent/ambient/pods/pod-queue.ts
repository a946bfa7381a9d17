/** Work on pods, by UID: of each pod one piece at a time, of different pods at the same time. */
export interface PodQueue {
  /**
   * Has a pod looked at when it is its turn: once, however often this is called before. A look that fails is repeated after
   * a pause that grows, until one works; whatever calls this meanwhile has it repeated at once.
   */
  look(uid: string): void
  /** Does something in the turn of a pod. What it throws is thrown, and nothing is repeated. */
  run<T>(uid: string, work: () => Promise<T>): Promise<T>
  /** Settles when nothing runs any more. What waits for a pause does not count. */
  idle(): Promise<void>
}

/** How a {@link podQueue} works. */
export interface PodQueueOptions {
  /** What a look is. */
  readonly look: (uid: string) => Promise<void>
  /** Told of each look that failed, and how long its repetition waits. */
  readonly failed: (uid: string, error: unknown, pauseMs: number) => void
  /** Nothing is begun after it: what `run` was asked for rejects with its reason. */
  readonly signal: AbortSignal
  /** So many looks run at the same time; what `run` does is not counted. Default 8. */
  readonly lookers?: number | undefined
  /** The pause after so many failures, in milliseconds. Default: 100 ms, doubled up to 5 s. */
  readonly pause?: ((failures: number) => number) | undefined
}

/** An empty queue. */
export function podQueue(options: PodQueueOptions): PodQueue {
  const { look, failed, signal, lookers = 8, pause = growing } = options
  const pods = new Map<string, Line>()
  /** Who wants to be looked at, in order. */
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
      // One that is in line already may have begun: it is looked at again afterwards.
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
  /** Settles after all that is in line. */
  last: Promise<unknown>
  waiting: number
  /** A look is in line. */
  looks: boolean
  failures: number
  timer: NodeJS.Timeout | undefined
}

const growing = (failures: number): number => Math.min(100 * 2 ** Math.min(failures - 1, 10), 5000)
