import { jsonDepth } from '@cni/types'

/** What the Go decoder of runtimes accepts. */
const MAX_DEPTH = 10_000
/** Objects and arrays of one document. */
const MAX_VALUES = 200_000

/**
 * Where a JSON document names a plugin as a `type`: in a list, in `delegates` at any depth, as IPAM. The spelling is that
 * of users: `delegates[0].plugins[2]`; `''` is the document itself.
 *
 * @returns `undefined` when the document does not name the plugin.
 * @throws Error, with a message that begins with "it", for a text that is not JSON or too large to search.
 */
export function typeIn(text: string, type: string): string | undefined {
  const found: { value: object; path: string }[] = []
  const push = (value: unknown, path: string): void => {
    if (typeof value !== 'object' || value === null) return
    if (found.length === MAX_VALUES) throw new Error(`it holds more than ${MAX_VALUES} objects and arrays`)
    found.push({ value, path })
  }
  push(documentOf(text), '')
  // the loop also takes the values that it adds
  for (const { value, path } of found) {
    if (Array.isArray(value)) {
      for (const [at, one] of value.entries()) push(one, `${path}[${at}]`)
      continue
    }
    for (const [key, one] of Object.entries(value)) {
      // Go finds a member in any case
      if (one === type && key.toLowerCase() === 'type') return path
      push(one, path === '' ? key : `${path}.${key}`)
    }
  }
  return undefined
}

function documentOf(text: string): unknown {
  // two brackets for each level
  if (text.length > 2 * MAX_DEPTH && jsonDepth(text) > MAX_DEPTH) {
    throw new Error(`it is nested deeper than ${MAX_DEPTH} levels`)
  }
  try {
    return JSON.parse(text)
  } catch {
    throw new Error('it is not JSON')
  }
}
