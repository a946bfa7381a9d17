/** Returns a promise that rejects if the task rejects. If the task succeeds, the promise stays pending. */
export const rejectOnly = (task: Promise<unknown>): Promise<never> =>
  new Promise((_, reject) => {
    task.catch(reject)
  })
