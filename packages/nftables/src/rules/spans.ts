import { compareBytes } from './compare-bytes.ts'
import type { DataType, Plain, Span } from './data-type.ts'

/** True if a range of values has only one value. */
export const isPoint = ({ from, to }: Span): boolean => from === to || compareBytes(from, to) === 0

/** Next higher value: adds 1 to big-endian bytes. `undefined` after the highest value. */
export function next(bytes: Uint8Array): Uint8Array | undefined {
  const sum = Uint8Array.from(bytes)
  for (let at = sum.length - 1; at >= 0; at--) {
    const byte = sum[at] ?? 0
    sum[at] = byte + 1
    if (byte < 0xff) return sum
  }
  return undefined
}

/**
 * Sorts ranges of set keys, and joins overlapping ranges. Also joins adjacent ranges of an ordered type if at least one
 * of the ranges has several values.
 */
export function merged(type: DataType, spans: readonly Span[]): Span[] {
  const touch = type.ordered === true && spans.some((span) => !isPoint(span))
  const result: Span[] = []
  // Sorts ranges by start. For equal starts the widest range comes first.
  const byStart = (a: Span, b: Span) => compareBytes(a.from, b.from) || compareBytes(b.to, a.to)
  for (const span of [...spans].sort(byStart)) {
    const before = result.at(-1)
    const reach = before && ((touch ? next(before.to) : undefined) ?? before.to)
    if (before === undefined || reach === undefined || compareBytes(span.from, reach) > 0) result.push(span)
    else if (compareBytes(span.to, before.to) > 0) result[result.length - 1] = spanOf(type, before.from, span.to)
  }
  return result
}

/** Range of values between two bounds. If the range is exactly a network, `bits` is its prefix length. */
export function spanOf(type: DataType, from: Uint8Array, to: Uint8Array): Span {
  const differ = from.map((byte, at) => byte ^ (to[at] ?? 0))
  const bits = type.networks === true ? onesBefore(differ.map((byte) => ~byte)) : undefined
  const isNetwork = bits !== undefined && from.every((byte, at) => (byte & (differ[at] ?? 0)) === 0)
  return isNetwork && bits < 8 * type.length ? { from, to, bits } : { from, to }
}

/** Prefix length of a mask; `undefined` if a one bit follows a zero bit. */
export function onesBefore(mask: Uint8Array): number | undefined {
  let bits = 0
  for (const byte of mask) {
    // Counts at most 8 bits, because `clz32` returns 32 for a byte of eight one bits.
    const ones = Math.min(8, Math.clz32((~byte & 0xff) << 24))
    bits += ones
    if (ones < 8) break
  }
  return mask.every((byte, at) => byte === maskByte(bits, at)) ? bits : undefined
}

/** Mask of `length` bytes. The first `bits` bits of the mask are one, all later bits zero. */
export function maskOf(bits: number, length: number): Uint8Array {
  return Uint8Array.from({ length }, (_, at) => maskByte(bits, at))
}

/** Converts big-endian bytes of a value to the byte order in which the kernel stores the data type. */
export function inOrder({ host }: DataType, bytes: Uint8Array): Uint8Array {
  return host === true ? Uint8Array.from(bytes).reverse() : bytes
}

/** Converts a range of bytes to a canonical set key; `undefined` for invalid values. */
export function keyOf(type: DataType, span: Span): Plain | { readonly from: Plain; readonly to: Plain } | undefined {
  if (span.bits !== undefined || isPoint(span)) return type.read(span)
  const from = type.read({ from: span.from, to: span.from })
  const to = type.read({ from: span.to, to: span.to })
  return from === undefined || to === undefined ? undefined : Object.freeze({ from, to })
}

const maskByte = (bits: number, at: number) => 0xff & ~(0xff >> Math.min(8, Math.max(0, bits - 8 * at)))
