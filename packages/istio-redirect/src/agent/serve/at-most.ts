/** Limits concurrency: runs at most `count` calls at the same time, in the order of the calls. */
export function atMost(count: number): <T>(work: () => Promise<T>) => Promise<T> {
  const waiting: (() => void)[] = []
  let running = 0
  return async (work) => {
    if (running >= count) await new Promise<void>((resolve) => waiting.push(resolve))
    else running += 1
    try {
      return await work()
    } finally {
      const next = waiting.shift()
      // A finished call passes its slot to the next waiting call.
      if (next === undefined) running -= 1
      else next()
    }
  }
}
