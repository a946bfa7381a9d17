/** Settles only by failing. */
export const rejectOnly = (task: Promise<unknown>): Promise<never> =>
  new Promise((_, reject) => {
    task.catch(reject)
  })
