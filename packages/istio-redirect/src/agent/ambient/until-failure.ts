/** Settles only by failing. */
export const untilFailure = (task: Promise<unknown>): Promise<never> =>
  new Promise((_, reject) => {
    task.catch(reject)
  })
