import { coded, invalidType, outOfRange } from '../errors.ts'
import { encodeText, encodingOf } from './encodings.ts'

export function swap<T extends Uint8Array>(buffer: T, size: number): T {
  if (buffer.length % size !== 0) {
    throw coded(new RangeError(`Buffer size must be a multiple of ${8 * size}-bits`), 'ERR_INVALID_BUFFER_SIZE')
  }
  for (let at = 0; at < buffer.length; at += size) buffer.subarray(at, at + size).reverse()
  return buffer
}

export function needleOf(value: unknown, encoding: string | undefined): Uint8Array {
  if (typeof value === 'string') return encodeText(value, encodingOf(encoding))
  if (value instanceof Uint8Array) return value
  throw invalidType('value', 'one of type number or string or an instance of Buffer or Uint8Array', value)
}

export function checkSize(size: unknown): number {
  if (typeof size !== 'number') throw invalidType('size', 'of type number', size)
  if (!(size >= 0 && size <= Number.MAX_SAFE_INTEGER)) throw outOfRange('size', '>= 0 && <= 9007199254740991', size)
  return size
}
