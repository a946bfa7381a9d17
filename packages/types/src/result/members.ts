import { CniError, ErrorCode } from '../errors.ts'
import { parseCidr, parseIp } from '../ip.ts'
import { foldMembers, isObject, type JsonObject, kindOf } from '../json/json.ts'
import { messageOf } from '../thrown.ts'

/** Function that decodes one member of a CNI result. Returns `undefined` to omit the member. */
export type MemberDecoder = (value: unknown, path: string) => unknown

/** Decoders of an object's known members, in the order in which the encoder prints them. */
export type Shape = Readonly<Record<string, MemberDecoder>>

/** Decodes an object of a CNI result. Unknown members follow the known members unchanged. */
export function decodeObject(value: unknown, shape: Shape, path: string): JsonObject {
  if (!isObject(value)) throw wrong(path || 'result', 'an object', value)
  const object = foldMembers(value, Object.keys(shape))
  const read: JsonObject = {}
  for (const name in shape) {
    const member = shape[name]?.(object[name], path === '' ? name : `${path}.${name}`)
    if (member !== undefined) read[name] = member
  }
  for (const name of Object.keys(object)) if (!Object.hasOwn(shape, name)) setMember(read, name, object[name])
  return read
}

/**
 * Sets a member of an object. The name `__proto__` creates an ordinary member too, instead of changing the prototype.
 */
function setMember(object: JsonObject, name: string, value: unknown): void {
  if (name === '__proto__')
    Object.defineProperty(object, name, { value, configurable: true, enumerable: true, writable: true })
  else object[name] = value
}

/** Decoder for a member that is a list of objects. An empty list is omitted. */
export function objects(shape: Shape): MemberDecoder {
  return (value, path) => list(value, path, (item, itemPath) => decodeObject(item, shape, itemPath))
}

/** Decoder for a member that is a list of strings. An empty list is omitted. */
export const texts: MemberDecoder = (value, path) => list(value, path, requiredText)

/** Decoder for a member that is a string. An empty string is omitted. */
export const text: MemberDecoder = (value, path) => readText(value, path) || undefined

/** Decoder for a member that is a string. A missing or empty string is printed as `""`. */
export const textAlways: MemberDecoder = (value, path) => readText(value, path) ?? ''

/** Decoder for a member that is an integer. 0 is omitted. */
export const integer: MemberDecoder = (value, path) => readInteger(value, path) || undefined

/** Decoder for a member that is an integer. A missing integer is printed as 0. */
export const integerWithZero: MemberDecoder = (value, path) => readInteger(value, path)

/** Decoder for a member that is an IP address, in canonical form. An empty address is omitted. */
export const ip: MemberDecoder = (value, path) => {
  const given = readText(value, path)
  return given ? at(path, () => parseIp(given).address) : undefined
}

/** Decoder for a required member that is an address with prefix length, in canonical form. */
export const cidr: MemberDecoder = (value, path) => {
  const given = readText(value, path)
  if (given === undefined) throw invalid(path, 'missing, expected an address with prefix such as 10.1.2.3/24')
  return at(path, () => parseCidr(given).text)
}

function list(value: unknown, path: string, decode: MemberDecoder): unknown[] | undefined {
  if (value === undefined || value === null) return undefined
  if (!Array.isArray(value)) throw wrong(path, 'an array', value)
  return value.length === 0 ? undefined : value.map((item: unknown, index) => decode(item, `${path}[${index}]`))
}

function readText(value: unknown, path: string): string | undefined {
  return value === undefined || value === null ? undefined : requiredText(value, path)
}

function requiredText(value: unknown, path: string): string {
  if (typeof value !== 'string') throw wrong(path, 'a string', value)
  return value
}

function readInteger(value: unknown, path: string): number | undefined {
  if (value === undefined || value === null) return undefined
  if (!Number.isSafeInteger(value)) throw wrong(path, 'an integer', value)
  // Adds 0, because JSON permits the integer -0. The sum of -0 and 0 is 0.
  return Number(value) + 0
}

function at<T>(path: string, parse: () => T): T {
  try {
    return parse()
  } catch (cause) {
    throw invalid(path, messageOf(cause), cause)
  }
}

function wrong(path: string, expected: string, given: unknown): CniError {
  const got = typeof given === 'number' || typeof given === 'string' ? JSON.stringify(given) : kindOf(given)
  return invalid(path, `expected ${expected}, got ${got}`)
}

function invalid(path: string, reason: string, cause?: unknown): CniError {
  return new CniError(ErrorCode.decodingFailure, `${path}: ${reason}`, cause === undefined ? {} : { cause })
}
