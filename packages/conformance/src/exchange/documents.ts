import { isObject, type JsonObject } from '@cni/types'

/** JSON values on a plugin's stdout, and the text between them. */
export interface Printed {
  readonly documents: readonly unknown[]
  /** Text on the plugin's stdout before, between and after the JSON values. */
  readonly noise: string
}

/** Splits a plugin's stdout into JSON values and other text. */
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
  // Treats a number, a string or null as JSON only if the plugin's stdout contains nothing else.
  const scalar = documents.length === 0 ? parse(text) : undefined
  return scalar === undefined ? { documents, noise: noise.trim() } : { documents: [scalar], noise: '' }
}

/** JSON object on the plugin's stdout. `undefined` if stdout contains another value or additional text. */
export function onlyDocument(text: string): JsonObject | undefined {
  const { documents, noise } = readStdout(text)
  const [first] = documents
  return documents.length === 1 && noise === '' && isObject(first) ? first : undefined
}

/** True for a CNI error: an object with `code` and `msg`, which a result never has. */
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
    // Returns `undefined`, because this part of the plugin's stdout is not JSON.
    return undefined
  }
}
