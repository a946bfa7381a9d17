/** Implements Node's `util.isDeepStrictEqual`: compares values, prototypes and own enumerable members. */
export function isDeepStrictEqual(first: unknown, second: unknown): boolean {
  return equal(first, second, new Map())
}

type Seen = Map<object, object>

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null

function equal(a: unknown, b: unknown, seen: Seen): boolean {
  if (Object.is(a, b)) return true
  if (!isObject(a) || !isObject(b)) return false
  if (seen.get(a) === b) return true
  if (Object.getPrototypeOf(a) !== Object.getPrototypeOf(b)) return false
  if (Array.isArray(a) !== Array.isArray(b)) return false
  seen.set(a, b)
  return contentsEqual(a, b, seen) && membersEqual(a, b, seen)
}

function contentsEqual(a: object, b: object, seen: Seen): boolean {
  if (a instanceof Date && b instanceof Date) return Object.is(a.getTime(), b.getTime())
  if (a instanceof RegExp && b instanceof RegExp) return String(a) === String(b) && a.lastIndex === b.lastIndex
  if (a instanceof Error && b instanceof Error) {
    return a.message === b.message && a.name === b.name && equal(a.cause, b.cause, seen)
  }
  if (a instanceof Map && b instanceof Map) {
    return a.size === b.size && [...a].every(([key, value]) => findsEntry(b, key, value, seen))
  }
  if (a instanceof Set && b instanceof Set) {
    return a.size === b.size && [...a].every((value) => b.has(value) || some(b, (other) => equal(value, other, seen)))
  }
  for (const wrapper of [Number, String, Boolean]) {
    if (a instanceof wrapper) return b instanceof wrapper && Object.is(a.valueOf(), b.valueOf())
  }
  if (ArrayBuffer.isView(a) && ArrayBuffer.isView(b)) return a.byteLength === b.byteLength
  return true
}

function findsEntry(map: Map<unknown, unknown>, key: unknown, value: unknown, seen: Seen): boolean {
  if (map.has(key)) return equal(value, map.get(key), seen)
  return some(map, ([other, own]) => equal(key, other, seen) && equal(value, own, seen))
}

function some<T>(values: Iterable<T>, check: (value: T) => boolean): boolean {
  for (const value of values) if (check(value)) return true
  return false
}

function membersEqual(a: object, b: object, seen: Seen): boolean {
  const keys = enumerableKeys(a)
  if (keys.length !== enumerableKeys(b).length) return false
  return keys.every((key) => Object.hasOwn(b, key) && equal(Reflect.get(a, key), Reflect.get(b, key), seen))
}

const enumerableKeys = (value: object): PropertyKey[] =>
  Reflect.ownKeys(value).filter((key) => Object.getOwnPropertyDescriptor(value, key)?.enumerable === true)
