import { type DataType, dataTypes, type Plain, type Span } from '../rules/data-type.ts'
import { inOrder, spanOf } from '../rules/spans.ts'
import type { ElementFlag } from '../wire/specs.ts'

/** What an element of a set says of itself. */
interface Element {
  readonly key?: Uint8Array
  readonly keyEnd?: Uint8Array
  readonly flags?: readonly ElementFlag[]
}

/** An element, and which values it is for, as bytes that compare as they do; `undefined` for what is no such key. */
export interface SpanOf<E> {
  readonly element: E
  readonly span: Span | undefined
}

/**
 * The keys of a set or map of one type, in their order. In a set of intervals the kernel has the begin of each and, unless
 * the next begins there, the first key behind it.
 */
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

/** The key of an element, highest byte first: where keys are intervals the kernel has them so. */
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

/** Where one ends and the next begins at the same, the end is first. */
function byKey(a: Bound<Element>, b: Bound<Element>): number {
  return Buffer.compare(a.key ?? none, b.key ?? none) || Number(isEnd(b.element)) - Number(isEnd(a.element))
}

/** The key before this one. */
function before(bytes: Uint8Array): Uint8Array {
  const found = Uint8Array.from(bytes)
  for (let at = found.length - 1; at >= 0; at--) {
    const byte = found[at] ?? 0
    found[at] = byte - 1
    if (byte !== 0) break
  }
  return found
}

/** A name alone, or all that begin with some bytes. */
function nameSpan(from: Uint8Array, to: Uint8Array): Span | undefined {
  if (Buffer.compare(from, to) === 0) return { from, to: from }
  const end = from.indexOf(0)
  const length = end === -1 ? from.length : end
  const ends = from.subarray(length).every((byte) => byte === 0) && to.subarray(length).every((byte) => byte === 255)
  const isPrefix = ends && length > 0 && Buffer.compare(from.subarray(0, length), to.subarray(0, length)) === 0
  return isPrefix ? { from, to, bits: 8 * length } : undefined
}

/** The value of bytes in the order of the kernel's registers; `undefined` for those that would not be written again. */
export function valueIn(type: DataType, bytes: Uint8Array): Plain | undefined {
  return bytes.length === type.length ? orderedValue(type, inOrder(type, bytes)) : undefined
}

/** The same of bytes with the highest first. */
export function orderedValue(type: DataType, bytes: Uint8Array): Plain | undefined {
  const value = type.read({ from: bytes, to: bytes })
  const again = value === undefined ? undefined : type.write(value)
  return again !== undefined && again.bits === undefined && Buffer.compare(again.from, bytes) === 0 ? value : undefined
}
