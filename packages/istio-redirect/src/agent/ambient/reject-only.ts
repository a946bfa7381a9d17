/** Promise that rejects with the error of a task, and never resolves. */
export const rejectOnly = (task: Promise<unknown>): Promise<never> =>
  new Promise((_, reject) => {
    task.catch(reject)
  })
