import { CniError, ErrorCode } from '../errors.ts'

/** Limits the nesting depth, because a deep value or a cycle would overflow the stack. */
const MAX_DEPTH = 1000

/**
 * Encodes a value as JSON with the same bytes as Go's encoder. Omits members that are `undefined`.
 *
 * @throws {@link CniError} with code 999 for a value that JSON cannot express, such as `NaN`, a `Map` or a cycle.
 */
export function goStringify(
  value: unknown,
  options: {
    /** Number of spaces by which each nesting level is indented. The default, 0, prints one line. */
    readonly indent?: number
    /** True to sort the keys of every object by code point, as Go prints a map. Default: false. */
    readonly sortKeys?: boolean
  } = {},
): string {
  const { indent = 0, sortKeys = false } = options
  return print(value, { step: ' '.repeat(indent), sortKeys }, '\n', 0) ?? 'null'
}

interface Style {
  readonly step: string
  readonly sortKeys: boolean
}

function print(value: unknown, style: Style, newline: string, depth: number): string | undefined {
  switch (typeof value) {
    case 'string':
      return printString(value)
    case 'number':
      return printNumber(value)
    case 'boolean':
      return String(value)
    case 'bigint':
      return String(value)
    case 'object':
      return value === null ? 'null' : printObject(value, style, newline, depth)
    default:
      return undefined
  }
}

function printObject(value: object, style: Style, newline: string, depth: number): string | undefined {
  if (depth >= MAX_DEPTH) throw notEncodable(`nested deeper than ${MAX_DEPTH} levels`)
  if ('toJSON' in value && typeof value.toJSON === 'function') {
    return print(value.toJSON(), style, newline, depth + 1)
  }
  if (value instanceof Map || value instanceof Set) {
    throw notEncodable(`a ${value instanceof Map ? 'Map' : 'Set'} is no JSON object`)
  }
  const inner = newline + style.step
  if (Array.isArray(value)) {
    const items = value.map((item) => print(item, style, inner, depth + 1) ?? 'null')
    return enclose('[', items, ']', style, newline)
  }
  const colon = style.step === '' ? ':' : ': '
  const entries = Object.entries(value)
  if (style.sortKeys) entries.sort(([a], [b]) => compareCodePoints(a, b))
  const members: string[] = []
  for (const [key, member] of entries) {
    const text = print(member, style, inner, depth + 1)
    if (text !== undefined) members.push(printString(key) + colon + text)
  }
  return enclose('{', members, '}', style, newline)
}

function enclose(open: string, items: readonly string[], close: string, style: Style, newline: string): string {
  if (items.length === 0) return open + close
  if (style.step === '') return open + items.join(',') + close
  const inner = newline + style.step
  return open + inner + items.join(`,${inner}`) + newline + close
}

function printString(text: string): string {
  return JSON.stringify(text.replace(/[\ud800-\udfff]/gu, '\ufffd')).replace(/[<>&\u2028\u2029]/g, escapeCharacter)
}

function escapeCharacter(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
}

function printNumber(value: number): string {
  if (!Number.isFinite(value)) throw notEncodable(`${value} is not a JSON number`)
  return Object.is(value, -0) ? '-0' : String(value)
}

/** Compares by code point, because UTF-16 code units sort surrogate pairs differently. */
function compareCodePoints(a: string, b: string): number {
  for (let index = 0; index < a.length && index < b.length; index += 1) {
    const left = a.charCodeAt(index)
    const right = b.charCodeAt(index)
    if (left !== right) return rank(left) - rank(right)
  }
  return a.length - b.length
}

function rank(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit
}

function notEncodable(reason: string): CniError {
  return new CniError(ErrorCode.internal, `cannot encode as JSON: ${reason}`)
}
