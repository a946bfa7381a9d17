import { isObject, type JsonObject } from '@cni/types'

/** What is on a plugin's stdout: JSON values one after the other, and text between them. */
export interface Printed {
  readonly documents: readonly unknown[]
  /** Everything that is not JSON. */
  readonly noise: string
}

/** Takes a plugin's stdout apart. */
export function readStdout(text: string): Printed {
  const documents: unknown[] = []
  let noise = ''
  let at = 0
  while (at < text.length) {
    const end = /[{[]/.test(text[at] ?? '') ? endOfValue(text, at) : undefined
    const value = end === undefined ? undefined : parse(text.slice(at, end))
    if (end === undefined || value === undefined) {
      noise += text[at] ?? ''
      at++
    } else {
      documents.push(value)
      at = end
    }
  }
  // A number, a string or null is JSON too, if nothing else is there.
  const scalar = documents.length === 0 ? parse(text) : undefined
  return scalar === undefined ? { documents, noise: noise.trim() } : { documents: [scalar], noise: '' }
}

/** The single document, if it is an object and nothing else was printed. */
export function onlyDocument(text: string): JsonObject | undefined {
  const { documents, noise } = readStdout(text)
  const [first] = documents
  return documents.length === 1 && noise === '' && isObject(first) ? first : undefined
}

/** An error document has both members; a result has neither. */
export function isErrorDocument(value: unknown): value is JsonObject {
  return isObject(value) && 'code' in value && 'msg' in value
}

function endOfValue(text: string, start: number): number | undefined {
  let depth = 0
  let quoted = false
  for (let at = start; at < text.length; at++) {
    const char = text[at]
    if (quoted) {
      if (char === '\\') at++
      else if (char === '"') quoted = false
    } else if (char === '"') quoted = true
    else if (char === '{' || char === '[') depth++
    else if ((char === '}' || char === ']') && --depth === 0) return at + 1
  }
  return undefined
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // not JSON: noise
    return undefined
  }
}
