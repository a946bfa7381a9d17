import { isObject, type JsonObject } from '@cni/types'

/** Whether a value is of a type, for values as JSON has them. */
export type Guard<Value> = (value: unknown) => value is Value

/** What a guard vouches for. */
export type Guarded<Of> = Of extends Guard<infer Value> ? Value : never

/** True for a string. */
export const isText: Guard<string> = (value) => typeof value === 'string'
/** True for a boolean. */
export const isFlag: Guard<boolean> = (value) => typeof value === 'boolean'
/** Finite, as all of JSON are. */
export const isNumber: Guard<number> = (value): value is number => Number.isFinite(value)
/** Any value, and none. */
export const isAnything: Guard<unknown> = (_value): _value is unknown => true

/** An integer within bounds that count as within; by default those of an exact one. */
export function integerIn(low = Number.MIN_SAFE_INTEGER, high = Number.MAX_SAFE_INTEGER): Guard<number> {
  return (value): value is number =>
    typeof value === 'number' && Number.isInteger(value) && value >= low && value <= high
}

/** One of some texts. */
export function oneOf<const Text extends string>(...texts: readonly Text[]): Guard<Text> {
  return (value): value is Text => texts.some((text) => text === value)
}

/** What one of two guards accepts. */
export function eitherOf<One, Other>(one: Guard<One>, other: Guard<Other>): Guard<One | Other> {
  return (value): value is One | Other => one(value) || other(value)
}

/** Absent is fine. */
export function optional<Value>(is: Guard<Value>): Guard<Value | undefined> {
  return (value): value is Value | undefined => value === undefined || is(value)
}

/** Absent and `null` are fine. */
export function nullish<Value>(is: Guard<Value>): Guard<Value | null | undefined> {
  return (value): value is Value | null | undefined => value === undefined || value === null || is(value)
}

/** A list of them. */
export function listOf<Value>(is: Guard<Value>): Guard<Value[]> {
  return (value): value is Value[] => Array.isArray(value) && value.every((one) => is(one))
}

/** An object with any members of one kind. */
export function membersOf<Value>(is: Guard<Value>): Guard<Record<string, Value>> {
  return (value): value is Record<string, Value> => isRecord(value) && Object.values(value).every((one) => is(one))
}

/** An object with these members, and whatever else. */
export function objectOf<Shape extends Readonly<Record<string, Guard<unknown>>>>(
  shape: Shape,
): Guard<{ readonly [Member in keyof Shape]: Guarded<Shape[Member]> }> {
  const members = Object.entries(shape)
  return (value): value is { readonly [Member in keyof Shape]: Guarded<Shape[Member]> } =>
    isRecord(value) && members.every(([member, is]) => is(value[member]))
}

/** An object with these members, and no others: for one in a configuration, whose unknown members are logged. */
export function exactObjectOf<Shape extends Readonly<Record<string, Guard<unknown>>>>(
  shape: Shape,
): Guard<{ readonly [Member in keyof Shape]: Guarded<Shape[Member]> }> {
  const has = objectOf(shape)
  return (value): value is { readonly [Member in keyof Shape]: Guarded<Shape[Member]> } =>
    has(value) && Object.keys(value).every((member) => Object.hasOwn(shape, member))
}

// internal

/** An object without a `__proto__` of its own, of which parsers make different things. */
const isRecord = (value: unknown): value is JsonObject => isObject(value) && !Object.hasOwn(value, '__proto__')
