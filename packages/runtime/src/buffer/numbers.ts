import { define } from '../define.ts'
import { coded, invalidType, outOfRange } from '../errors.ts'

interface Kind {
  readonly name: string
  readonly size: number
  /** Name of the DataView method that reads or writes a number type. */
  readonly view: 'Int8' | 'Uint8' | 'Int16' | 'Uint16' | 'Int32' | 'Uint32' | 'Float32' | 'Float64'
  readonly min: number
  readonly max: number
}

const kinds: readonly Kind[] = [
  { name: 'UInt8', size: 1, view: 'Uint8', min: 0, max: 0xff },
  { name: 'Int8', size: 1, view: 'Int8', min: -0x80, max: 0x7f },
  { name: 'UInt16', size: 2, view: 'Uint16', min: 0, max: 0xffff },
  { name: 'Int16', size: 2, view: 'Int16', min: -0x8000, max: 0x7fff },
  { name: 'UInt32', size: 4, view: 'Uint32', min: 0, max: 0xffff_ffff },
  { name: 'Int32', size: 4, view: 'Int32', min: -0x8000_0000, max: 0x7fff_ffff },
  { name: 'Float', size: 4, view: 'Float32', min: Number.NEGATIVE_INFINITY, max: Number.POSITIVE_INFINITY },
  { name: 'Double', size: 8, view: 'Float64', min: Number.NEGATIVE_INFINITY, max: Number.POSITIVE_INFINITY },
]

// Caches the DataView of the buffer that was read or written last. Consecutive calls usually use the same buffer.
let last: Uint8Array | undefined
let lastView: DataView = new DataView(new ArrayBuffer(0))

function viewOf(buffer: Uint8Array): DataView {
  if (buffer !== last) {
    lastView = new DataView(buffer.buffer, buffer.byteOffset, buffer.byteLength)
    last = buffer
  }
  return lastView
}

export function checkOffset(buffer: Uint8Array, offset: unknown, size: number): void {
  if (typeof offset !== 'number') throw invalidType('offset', 'of type number', offset)
  const end = buffer.length - size
  if (offset >>> 0 === offset && offset <= end) return
  if (!Number.isInteger(offset)) throw outOfRange('offset', 'an integer', offset)
  if (end < 0) {
    throw coded(new RangeError('Attempt to access memory outside buffer bounds'), 'ERR_BUFFER_OUT_OF_BOUNDS')
  }
  throw outOfRange('offset', `>= 0 and <= ${end}`, offset)
}

function checkValue(value: number | bigint, min: number | bigint, max: number | bigint): void {
  if (value > max || value < min) throw outOfRange('value', `>= ${min} and <= ${max}`, value)
}

type Numbers = Record<string, (this: Uint8Array, ...args: number[]) => number>

function numbersOf({ name, size, view, min, max }: Kind, littleEndian: boolean): Numbers {
  const order = size === 1 ? '' : littleEndian ? 'LE' : 'BE'
  const { [`get${view}` as const]: get, [`set${view}` as const]: set } = DataView.prototype
  return {
    [`read${name}${order}`](offset = 0) {
      checkOffset(this, offset, size)
      return get.call(viewOf(this), offset, littleEndian)
    },
    [`write${name}${order}`](value = 0, offset = 0) {
      checkOffset(this, offset, size)
      checkValue(value, min, max)
      set.call(viewOf(this), offset, value, littleEndian)
      return offset + size
    },
  }
}

function bigIntsOf(name: 'BigInt64' | 'BigUInt64', min: bigint, max: bigint, littleEndian: boolean) {
  const order = littleEndian ? 'LE' : 'BE'
  const view = name === 'BigInt64' ? 'BigInt64' : 'BigUint64'
  const { [`get${view}` as const]: get, [`set${view}` as const]: set } = DataView.prototype
  return {
    [`read${name}${order}`](this: Uint8Array, offset = 0): bigint {
      checkOffset(this, offset, 8)
      return get.call(viewOf(this), offset, littleEndian)
    },
    [`write${name}${order}`](this: Uint8Array, value: bigint, offset = 0): number {
      checkOffset(this, offset, 8)
      checkValue(value, min, max)
      set.call(viewOf(this), offset, value, littleEndian)
      return offset + 8
    },
  }
}

/** Reads and writes integers of 1 to 6 bytes, for Buffer's methods `readUIntBE` and similar. */
function anySize(isSigned: boolean, littleEndian: boolean): Numbers {
  const name = `${isSigned ? 'Int' : 'UInt'}${littleEndian ? 'LE' : 'BE'}`
  const place = (index: number, size: number): number => 2 ** (8 * (littleEndian ? index : size - 1 - index))
  const checkSize = (size: number): void => {
    if (!Number.isInteger(size) || size < 1 || size > 6) throw outOfRange('byteLength', '>= 1 and <= 6', size)
  }
  return {
    [`read${name}`](offset = 0, size = 0) {
      checkSize(size)
      checkOffset(this, offset, size)
      let value = 0
      for (let index = 0; index < size; index++) value += (this[offset + index] ?? 0) * place(index, size)
      return isSigned && value >= 2 ** (8 * size - 1) ? value - 2 ** (8 * size) : value
    },
    [`write${name}`](value = 0, offset = 0, size = 0) {
      checkSize(size)
      checkOffset(this, offset, size)
      const [min, max] = isSigned ? [-(2 ** (8 * size - 1)), 2 ** (8 * size - 1) - 1] : [0, 2 ** (8 * size) - 1]
      checkValue(value, min, max)
      for (let index = 0; index < size; index++) this[offset + index] = Math.floor(value / place(index, size)) & 0xff
      return offset + size
    },
  }
}

/** Adds the methods for numbers to the prototype of Buffer, with both spellings of their names: `UInt` and `Uint`. */
export function defineNumbers(prototype: object): void {
  const max = 2n ** 64n
  for (const littleEndian of [true, false]) {
    const members = Object.assign(
      {},
      ...kinds.map((kind) => numbersOf(kind, littleEndian)),
      bigIntsOf('BigInt64', -max / 2n, max / 2n - 1n, littleEndian),
      bigIntsOf('BigUInt64', 0n, max - 1n, littleEndian),
      anySize(true, littleEndian),
      anySize(false, littleEndian),
    )
    for (const [name, member] of Object.entries(members)) {
      define(prototype, name, member)
      if (name.includes('UInt')) define(prototype, name.replace('UInt', 'Uint'), member)
    }
  }
}
