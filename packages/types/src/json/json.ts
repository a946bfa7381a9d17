import { CniError, ErrorCode } from '../errors.ts'

/** A JSON object whose members may have any type. */
export type JsonObject = { [member: string]: unknown }

/** True if a parsed JSON value is an object: not `null`, not an array. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/**
 * Parses JSON. As in Go, invalid UTF-8 becomes U+FFFD, and a byte order mark is rejected.
 *
 * @param what - description of the input, with which the error message begins.
 * @throws {@link CniError} with code 6.
 */
export function parseJson(input: string | Uint8Array, what: string): unknown {
  const text = typeof input === 'string' ? input : new TextDecoder('utf-8', { ignoreBOM: true }).decode(input)
  try {
    return JSON.parse(text)
  } catch (error) {
    // Throws without a `cause`, because the engine's message may quote a secret.
    throw new CniError(ErrorCode.decodingFailure, `${what}: ${text.trim() === '' ? TRUNCATED : syntaxError(error)}`)
  }
}

const TRUNCATED = 'unexpected end of JSON input'

/** Omits the input that a syntax error quotes, because it may contain a secret. */
function syntaxError(error: unknown): string {
  const message = error instanceof Error ? error.message : ''
  return message.replace(/[,:]?\s*(?:\.\.\.)?".*$/s, '') || 'invalid JSON'
}

/** Type of a JSON value as a word for error messages, such as `array`. */
export function kindOf(value: unknown): string {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'array' : typeof value
}

/**
 * Renames members to the given names, ignoring case as Go's decoder does. A member with the exact name has priority.
 */
export function foldMembers(object: JsonObject, names: readonly string[]): JsonObject {
  const keys = Object.keys(object)
  const others: string[] = []
  for (const key of keys) if (!names.includes(key)) others.push(key)
  // Returns early if every member's name is one of `names`, as in most objects.
  if (others.length === 0) return object
  const renamed = new Map<string, string>()
  for (const name of names) {
    if (keys.includes(name)) continue
    const other = others.findLast((key) => key.toLowerCase() === name.toLowerCase())
    if (other !== undefined) renamed.set(other, name)
  }
  if (renamed.size === 0) return object
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [renamed.get(key) ?? key, value]))
}
