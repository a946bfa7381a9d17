import { jsonDepth } from '@cni/types'

/** Maximum nesting depth that Go's JSON decoder accepts. Every container runtime uses that decoder. */
const MAX_DEPTH = 10_000
/** Maximum number of objects and arrays in a JSON document that a search visits. */
const MAX_VALUES = 200_000

/** Finds the object with a plugin's `type` in a JSON document. Returns the object's path, such as `delegates[0]`. */
export function typeIn(text: string, type: string): string | undefined {
  const found: { value: object; path: string }[] = []
  const push = (value: unknown, path: string): void => {
    if (typeof value !== 'object' || value === null) return
    if (found.length === MAX_VALUES) throw new Error(`it holds more than ${MAX_VALUES} objects and arrays`)
    found.push({ value, path })
  }
  push(documentOf(text), '')
  // The loop appends nested objects and arrays to `found` and visits them too.
  for (const { value, path } of found) {
    if (Array.isArray(value)) {
      for (const [at, one] of value.entries()) push(one, `${path}[${at}]`)
      continue
    }
    for (const [key, one] of Object.entries(value)) {
      // Compares the member name in lower case. Reason: container runtimes use Go, which ignores the case of member
      // names.
      if (one === type && key.toLowerCase() === 'type') return path
      push(one, path === '' ? key : `${path}.${key}`)
    }
  }
  return undefined
}

function documentOf(text: string): unknown {
  // A short text cannot be too deep, because each nesting level needs two brackets.
  if (text.length > 2 * MAX_DEPTH && jsonDepth(text) > MAX_DEPTH) {
    throw new Error(`it is nested deeper than ${MAX_DEPTH} levels`)
  }
  try {
    return JSON.parse(text)
  } catch {
    throw new Error('it is not JSON')
  }
}
