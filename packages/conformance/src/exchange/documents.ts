import { isObject, type JsonObject } from '@cni/types'

/** JSON values on a plugin's stdout, and the text between them. */
export interface Printed {
  readonly documents: readonly unknown[]
  /** All text on stdout that is not JSON. */
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
  // A number, a string or null also counts as JSON if stdout contains nothing else.
  const scalar = documents.length === 0 ? parse(text) : undefined
  return scalar === undefined ? { documents, noise: noise.trim() } : { documents: [scalar], noise: '' }
}

/** The only JSON document on stdout, if it is an object and stdout contains nothing else. */
export function onlyDocument(text: string): JsonObject | undefined {
  const { documents, noise } = readStdout(text)
  const [first] = documents
  return documents.length === 1 && noise === '' && isObject(first) ? first : undefined
}

/** True for an error document: it has the members `code` and `msg`, which a result lacks. */
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
    // this text is not JSON
    return undefined
  }
}
