/** Gives turns in the order of asking, one in each round of the event loop. */
export interface Turns {
  /** Settles when it is the asker's turn: until it waits for something, nobody else has one. */
  next(): Promise<void>
}

/**
 * Many who come at once are served one after the other, and what the agent has to do besides, such as healing a file,
 * comes in between.
 */
export function turns(): Turns {
  const waiting: (() => void)[] = []
  const give = (): void => {
    waiting.shift()?.()
    if (waiting.length > 0) setImmediate(give)
  }
  return {
    next: () =>
      new Promise((resolve) => {
        waiting.push(resolve)
        if (waiting.length === 1) setImmediate(give)
      }),
  }
}
