import { CniError, ErrorCode } from './errors.ts'

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
  } catch (cause) {
    const reason = text.trim() === '' ? 'unexpected end of JSON input' : cause instanceof Error ? cause.message : cause
    throw new CniError(ErrorCode.decodingFailure, `${what}: ${reason}`, { cause })
  }
}

/** The kind of a JSON value, for error texts. */
export function kindOf(value: unknown): string {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'array' : typeof value
}

/**
 * The same object with the given members under their exact names: where the exact spelling is missing, a member that
 * differs in case only takes its place, as in Go. Order and all other members stay.
 */
export function foldMembers(object: JsonObject, names: readonly string[]): JsonObject {
  const keys = Object.keys(object)
  const renamed = new Map<string, string>()
  for (const name of names) {
    if (keys.includes(name)) continue
    const other = keys.findLast((key) => key.toLowerCase() === name.toLowerCase())
    if (other !== undefined) renamed.set(other, name)
  }
  if (renamed.size === 0) return object
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [renamed.get(key) ?? key, value]))
}
