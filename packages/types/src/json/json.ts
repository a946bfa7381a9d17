import { CniError, ErrorCode } from '../errors.ts'

/** A JSON object whose members have not been looked at. */
export type JsonObject = { [member: string]: unknown }

/** Whether a parsed JSON value is an object: not `null`, not an array. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/**
 * The value of a JSON text. Bytes that are not UTF-8 become U+FFFD and a byte order mark is refused, as in Go.
 *
 * @param what - what the text is, the first words of the error.
 * @throws {@link CniError} with code 6.
 */
export function parseJson(input: string | Uint8Array, what: string): unknown {
  const text = typeof input === 'string' ? input : new TextDecoder('utf-8', { ignoreBOM: true }).decode(input)
  try {
    return JSON.parse(text)
  } catch (error) {
    // Without the error as cause: a log prints causes, and its message is what must not get there.
    throw new CniError(ErrorCode.decodingFailure, `${what}: ${text.trim() === '' ? TRUNCATED : syntaxError(error)}`)
  }
}

const TRUNCATED = 'unexpected end of JSON input'

/** What the engine says, up to the piece of the input it quotes: that may hold a secret. */
function syntaxError(error: unknown): string {
  const message = error instanceof Error ? error.message : ''
  return message.replace(/[,:]?\s*(?:\.\.\.)?".*$/s, '') || 'invalid JSON'
}

/** The kind of a JSON value, for error texts. */
export function kindOf(value: unknown): string {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'array' : typeof value
}

/**
 * The same object with the given members under their exact names, of which no two differ in case only: where the exact
 * spelling is missing, a member that differs in case only takes its place, as in Go. Order and all other members stay.
 */
export function foldMembers(object: JsonObject, names: readonly string[]): JsonObject {
  const keys = Object.keys(object)
  const others: string[] = []
  for (const key of keys) if (!names.includes(key)) others.push(key)
  // Most objects have no other members: then there is nothing to compare.
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
