/** Waits for all, then throws the first failure: nothing may still be writing when the caller goes on. */
export async function settle<T>(promises: readonly Promise<T>[]): Promise<T[]> {
  const results = await Promise.allSettled(promises)
  return results.map((result) => {
    if (result.status === 'rejected') throw result.reason
    return result.value
  })
}
