/** Rejects with the error of the task. Never resolves. */
export const rejectOnly = (task: Promise<unknown>): Promise<never> =>
  new Promise((_, reject) => {
    task.catch(reject)
  })
