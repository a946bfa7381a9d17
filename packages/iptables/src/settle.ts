/**
 * Waits until all promises have settled, and throws the first error afterwards. No write is still running when the
 * caller continues.
 */
export async function settle<T>(promises: readonly Promise<T>[]): Promise<T[]> {
  const results = await Promise.allSettled(promises)
  return results.map((result) => {
    if (result.status === 'rejected') throw result.reason
    return result.value
  })
}
