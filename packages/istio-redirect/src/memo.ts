/** How many results are remembered: pods of a node differ by a few annotations, if at all. */
const MOST = 32

/**
 * A function that remembers its last 32 results, by the JSON of its arguments.
 *
 * @param fits - false for a result that is not remembered, such as a large one
 */
export function memo<Arguments extends readonly unknown[], Result>(
  make: (...args: Arguments) => Result,
  fits: (key: string, result: Result) => boolean,
): (...args: Arguments) => Result {
  const remembered = new Map<string, { readonly result: Result }>()
  return (...args) => {
    const key = JSON.stringify(args)
    const known = remembered.get(key) ?? { result: make(...args) }
    if (!fits(key, known.result)) return known.result
    // Puts the result last: the first, used longest ago, is forgotten.
    remembered.delete(key)
    remembered.set(key, known)
    const [oldest = key] = remembered.keys()
    if (remembered.size > MOST) remembered.delete(oldest)
    return known.result
  }
}
