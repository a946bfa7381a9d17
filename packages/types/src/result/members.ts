import { CniError, ErrorCode } from '../errors.ts'
import { parseCidr, parseIp } from '../ip.ts'
import { foldMembers, isObject, type JsonObject, kindOf } from '../json/json.ts'
import { messageOf } from '../thrown.ts'

/** Reads one member. `undefined` and `null` both mean it is missing; returning `undefined` leaves it out. */
export type MemberDecoder = (value: unknown, path: string) => unknown

/** The members of an object, in the order in which they are printed. */
export type Shape = Readonly<Record<string, MemberDecoder>>

/** Reads an object: its known members in the order of the shape, then the unknown ones as received. */
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

/** Also of the name that an object means its prototype by. */
function setMember(object: JsonObject, name: string, value: unknown): void {
  if (name === '__proto__')
    Object.defineProperty(object, name, { value, configurable: true, enumerable: true, writable: true })
  else object[name] = value
}

/** A list of objects, left out when empty. */
export function objects(shape: Shape): MemberDecoder {
  return (value, path) => list(value, path, (item, itemPath) => decodeObject(item, shape, itemPath))
}

/** A list of texts, left out when empty. */
export const texts: MemberDecoder = (value, path) => list(value, path, requiredText)

/** A text, left out when empty. */
export const text: MemberDecoder = (value, path) => readText(value, path) || undefined

/** A text that is printed even when empty. */
export const textAlways: MemberDecoder = (value, path) => readText(value, path) ?? ''

/** A whole number, left out when 0. */
export const integer: MemberDecoder = (value, path) => readInteger(value, path) || undefined

/** A whole number of which 0 is a value like any other. */
export const integerWithZero: MemberDecoder = (value, path) => readInteger(value, path)

/** An IP address in canonical form, left out when empty. */
export const ip: MemberDecoder = (value, path) => {
  const given = readText(value, path)
  return given ? at(path, () => parseIp(given).address) : undefined
}

/** An address with prefix in canonical form; it must be there. */
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
  // -0 is a legal JSON number, but an integer 0.
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
