/** Runs no more than `count` pieces of work at the same time, in the order in which they come. */
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
      // The place goes to the next one.
      if (next === undefined) running -= 1
      else next()
    }
  }
}
