/** Maximum number of cached results. A small cache suffices: a node's pods have similar annotations. */
const MAX_RESULTS = 32

/**
 * Wraps a function and caches its latest results by the JSON of the arguments.
 *
 * @param fits - returns false for a result that must not be kept, such as a large one
 */
export function memo<Arguments extends readonly unknown[], Result>(
  make: (...args: Arguments) => Result,
  fits: (key: string, result: Result) => boolean,
): (...args: Arguments) => Result {
  const cached = new Map<string, { readonly result: Result }>()
  return (...args) => {
    const key = JSON.stringify(args)
    const known = cached.get(key) ?? { result: make(...args) }
    if (!fits(key, known.result)) return known.result
    // Moves the used result to the map's end. A full cache drops the map's first result.
    cached.delete(key)
    cached.set(key, known)
    const [oldest = key] = cached.keys()
    if (cached.size > MAX_RESULTS) cached.delete(oldest)
    return known.result
  }
}
