/**
 * Creates a mutex that runs one task at a time, in the order of the calls. A failed task does not block later tasks.
 */
export function mutex(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve()
  return (work) => {
    const result = last.then(work)
    last = result.catch(() => {})
    return result
  }
}
