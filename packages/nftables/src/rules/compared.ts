import { invalid } from '../wire/nft-error.ts'
import { compareBytes } from './compare-bytes.ts'
import { type DataType, point, type Span } from './data-type.ts'
import { isPoint, keyOf, maskOf, merged, onesBefore, spanOf } from './spans.ts'

/** Validated operand of a condition, as bytes or as the name of a set. */
export type Compared =
  | { readonly is: 'one'; readonly span: Span }
  | { readonly is: 'range'; readonly span: Span }
  | { readonly is: 'masked'; readonly value: Uint8Array; readonly mask: Uint8Array }
  | { readonly is: 'set'; readonly spans: readonly Span[] }
  | { readonly is: 'named'; readonly name: string }

/** Validates the operand of a condition. The text `what` begins the error message. */
export function comparedWith(type: DataType, operand: unknown, what: string, single = false): Compared {
  if (isRecord(operand)) {
    if ('named' in operand) {
      const { named } = operand
      return typeof named === 'string' && named !== ''
        ? { is: 'named', name: named }
        : wrong(operand, 'a set by name', what)
    }
    if ('set' in operand) return setOf(type, operand.set, what, single)
    if ('mask' in operand) return masked(type, operand.value, operand.mask, what)
  }
  return one(spanIn(type, operand, what))
}

/** Converts an operand from bytes to its canonical form; `undefined` for invalid bytes. */
export function operandOf(type: DataType, compared: Compared): unknown {
  switch (compared.is) {
    case 'one':
    case 'range':
      return keyOf(type, compared.span)
    case 'masked': {
      const read = (bytes: Uint8Array) =>
        type.flags === true && bytes.every((byte) => byte === 0) ? Object.freeze([]) : type.read(point(bytes))
      const value = read(compared.value)
      const mask = read(compared.mask)
      return value === undefined || mask === undefined ? undefined : Object.freeze({ value, mask })
    }
    case 'set': {
      const keys = compared.spans.map((span) => keyOf(type, span))
      return keys.includes(undefined) ? undefined : Object.freeze({ set: Object.freeze(keys) })
    }
    case 'named':
      return Object.freeze({ named: compared.name })
  }
}

/** Reads a value or a range of a condition as bytes. Throws `NftError('INVALID')`. */
export function spanIn(type: DataType, key: unknown, what: string): Span {
  if (isRecord(key) && 'from' in key && type.ordered === true) {
    const from = valueIn(type, key.from, what)
    const to = valueIn(type, key.to, what)
    const order = compareBytes(from, to)
    if (order > 0) invalid(`${what}: the range ${shown(key.from)} to ${shown(key.to)} ends before it begins`)
    return order === 0 ? point(from) : { from, to }
  }
  return type.write(key) ?? wrong(key, type.expected, what)
}

/** Reads a key of a set or a map as bytes. Reads a range that is exactly a network as this network. */
export function keySpan(type: DataType, key: unknown, what: string): Span {
  const span = spanIn(type, key, what)
  return isOne(span) ? span : spanOf(type, span.from, span.to)
}

/** Throws an `NftError('INVALID')` that names the invalid value of a rule and the expected type. */
export function wrong(value: unknown, expected: string, what: string): never {
  return invalid(`${what}: ${shown(value)} is not ${expected}`)
}

/** Text of an invalid value, for an error message. */
export function shown(value: unknown): string {
  if (typeof value === 'bigint') return `${value}`
  return JSON.stringify(value) ?? String(value)
}

// internal

function valueIn(type: DataType, value: unknown, what: string): Uint8Array {
  const span = type.write(value)
  return span !== undefined && isPoint(span) ? span.from : wrong(value, `a single value: ${type.expected}`, what)
}

function setOf(type: DataType, keys: unknown, what: string, single: boolean): Compared {
  if (!Array.isArray(keys) || keys.length === 0) return wrong(keys, 'a list of at least one value', what)
  const given = keys.map((key) => spanIn(type, key, what))
  const [first] = given
  if (single && first !== undefined && type.flags !== true && given.every((each) => isSame(each, first)))
    return one(first)
  const spans = keys.map((key) => keySpan(type, key, what))
  return { is: 'set', spans: merged(type, spans) }
}

const one = (span: Span): Compared => (isOne(span) ? { is: 'one', span } : { is: 'range', span })
const isOne = (span: Span) => span.bits !== undefined || isPoint(span)
const isSame = (a: Span, b: Span) =>
  a.bits === b.bits && compareBytes(a.from, b.from) === 0 && compareBytes(a.to, b.to) === 0

function masked(type: DataType, value: unknown, mask: unknown, what: string): Compared {
  if (type.ordered !== true && type.flags !== true) wrong({ value, mask }, type.expected, what)
  const from = maskPart(type, value, what)
  const bits = maskPart(type, mask, what)
  const ones = onesBefore(bits)
  if (ones === 8 * type.length) return { is: 'one', span: point(from) }
  if (type.networks !== true || ones === undefined) return { is: 'masked', value: from, mask: bits }
  const network = from.map((byte, at) => byte & (bits[at] ?? 0))
  const isNetwork = compareBytes(network, from) === 0
  const to = from.map((byte, at) => byte | (~(maskOf(ones, type.length)[at] ?? 0) & 0xff))
  return isNetwork ? { is: 'one', span: { from, to, bits: ones } } : { is: 'masked', value: from, mask: bits }
}

/** Bytes of the value or the mask of a masked comparison. Types of flags also allow an empty list. */
function maskPart(type: DataType, value: unknown, what: string): Uint8Array {
  const isNone = type.flags === true && Array.isArray(value) && value.length === 0
  return isNone ? new Uint8Array(type.length) : valueIn(type, value, what)
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
