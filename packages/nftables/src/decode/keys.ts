import { type DataType, dataTypes, type Plain, type Span } from '../rules/data-type.ts'
import { inOrder, spanOf } from '../rules/spans.ts'
import type { ElementFlag } from '../wire/specs.ts'

/** Fields of a set element from which its range of keys is computed. */
interface Element {
  readonly key?: Uint8Array
  readonly keyEnd?: Uint8Array
  readonly flags?: readonly ElementFlag[]
}

/** Set element with the range of its keys. Invalid keys have no range. */
export interface SpanOf<E> {
  readonly element: E
  readonly span: Span | undefined
}

/** Computes the key ranges of a set's elements, sorted by key. */
export function spansOf<E extends Element>(type: DataType, interval: boolean, elements: readonly E[]): SpanOf<E>[] {
  const bounds = elements.map((element) => ({ element, key: keyIn(type, interval, element) })).sort(byKey)
  if (!interval) return bounds.map(({ element, key }) => ({ element, span: key && { from: key, to: key } }))
  return bounds.flatMap(({ element, key }, at) => {
    if (isEnd(element)) return []
    const behind = bounds[at + 1]?.key
    const to = behind === undefined ? new Uint8Array(type.length).fill(255) : before(behind)
    const isOne = key !== undefined && Buffer.compare(key, to) === 0
    if (key === undefined || (!isOne && Buffer.compare(key, to) > 0)) return [{ element, span: undefined }]
    return [{ element, span: type === dataTypes.ifname ? nameSpan(key, to) : spanOf(type, key, to) }]
  })
}

/** Key of a set element, most significant byte first. */
function keyIn(type: DataType, interval: boolean, { key, keyEnd }: Element): Uint8Array | undefined {
  if (key?.length !== type.length || keyEnd !== undefined) return undefined
  return interval ? key : inOrder(type, key)
}

export const isEnd = ({ flags }: Element): boolean => flags?.includes('intervalEnd') === true

const none = new Uint8Array(0)

interface Bound<E> {
  readonly element: E
  readonly key: Uint8Array | undefined
}

/** Compares elements by key. For equal keys, an interval's end precedes the next interval's start. */
function byKey(a: Bound<Element>, b: Bound<Element>): number {
  return Buffer.compare(a.key ?? none, b.key ?? none) || Number(isEnd(b.element)) - Number(isEnd(a.element))
}

/** Returns the next lower key: subtracts 1 from big-endian bytes. */
function before(bytes: Uint8Array): Uint8Array {
  const found = Uint8Array.from(bytes)
  for (let at = found.length - 1; at >= 0; at--) {
    const byte = found[at] ?? 0
    found[at] = byte - 1
    if (byte !== 0) break
  }
  return found
}

/** Converts the bounds of a key range to an interface name or a name prefix, else `undefined`. */
function nameSpan(from: Uint8Array, to: Uint8Array): Span | undefined {
  if (Buffer.compare(from, to) === 0) return { from, to: from }
  const end = from.indexOf(0)
  const length = end === -1 ? from.length : end
  const ends = from.subarray(length).every((byte) => byte === 0) && to.subarray(length).every((byte) => byte === 255)
  const isPrefix = ends && length > 0 && Buffer.compare(from.subarray(0, length), to.subarray(0, length)) === 0
  return isPrefix ? { from, to, bits: 8 * length } : undefined
}

/** Converts bytes in the kernel's byte order to a value; `undefined` for invalid bytes. */
export function valueIn(type: DataType, bytes: Uint8Array): Plain | undefined {
  return bytes.length === type.length ? orderedValue(type, inOrder(type, bytes)) : undefined
}

/** Converts big-endian bytes to a value. Returns `undefined` for bytes that are not the encoding of a value. */
export function orderedValue(type: DataType, bytes: Uint8Array): Plain | undefined {
  const value = type.read({ from: bytes, to: bytes })
  const again = value === undefined ? undefined : type.write(value)
  return again !== undefined && again.bits === undefined && Buffer.compare(again.from, bytes) === 0 ? value : undefined
}
