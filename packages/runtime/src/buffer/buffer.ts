import { invalidType, outOfRange } from '../errors.ts'
import { host } from '../host.ts'
import { bytesOf } from './bytes-of.ts'
import { decodeBytes, encodeText, encodingOf, findEncoding, textLength } from './encodings.ts'
import { checkSize, needleOf, swap } from './helpers.ts'
import { defineNumbers } from './numbers.ts'

/** Maximum number of a buffer's bytes that `inspect` prints. */
const SHOWN = 50

const isArrayLike = (value: object): value is ArrayLike<number> => 'length' in value && typeof value.length === 'number'

interface BytesConstructor {
  new (length: number): Uint8Array<ArrayBuffer>
  new (buffer: ArrayBuffer, offset?: number, length?: number): Uint8Array<ArrayBuffer>
}

/** Hides the static members of Uint8Array, because Buffer's static members have other types. */
const Bytes: BytesConstructor = Uint8Array

/** Node's class Buffer for the small runtime. Unlike Node, it has no pool: buffers never share memory. */
export class Buffer extends Bytes {
  static poolSize = 0

  static alloc(size: number, fill?: string | Uint8Array | number, encoding?: string): Buffer {
    const buffer = new Buffer(checkSize(size))
    return fill === undefined || fill === 0 ? buffer : buffer.fill(fill, 0, size, encoding)
  }

  static allocUnsafe(size: number): Buffer {
    return new Buffer(checkSize(size))
  }

  static allocUnsafeSlow(size: number): Buffer {
    return new Buffer(checkSize(size))
  }

  static from(value: unknown, second?: unknown, third?: unknown): Buffer {
    return bufferFrom(value, second, third)
  }

  static of(...bytes: number[]): Buffer {
    return bufferFrom(bytes)
  }

  static isBuffer(value: unknown): value is Buffer {
    return value instanceof Buffer
  }

  static isEncoding(name: unknown): boolean {
    return typeof name === 'string' && name !== '' && findEncoding(name) !== undefined
  }

  static byteLength(value: string | ArrayBufferView | ArrayBuffer, encoding?: string): number {
    return typeof value === 'string' ? textLength(value, encodingOf(encoding)) : value.byteLength
  }

  static concat(list: readonly Uint8Array[], total?: number): Buffer {
    if (!Array.isArray(list)) throw invalidType('list', 'an instance of Array', list)
    const result = new Buffer(total ?? list.reduce((sum, { length }) => sum + length, 0))
    let at = 0
    for (const bytes of list) {
      const part = at + bytes.length > result.length ? bytes.subarray(0, Math.max(0, result.length - at)) : bytes
      result.set(part, at)
      at += part.length
    }
    return result
  }

  static compare(first: Uint8Array, second: Uint8Array): number {
    const length = Math.min(first.length, second.length)
    for (let index = 0; index < length; index++) {
      const difference = (first[index] ?? 0) - (second[index] ?? 0)
      if (difference !== 0) return Math.sign(difference)
    }
    return Math.sign(first.length - second.length)
  }

  static copyBytesFrom(view: ArrayBufferView, offset = 0, length?: number): Buffer {
    const size = 'BYTES_PER_ELEMENT' in view ? Number(view.BYTES_PER_ELEMENT) : 1
    const end = length === undefined ? undefined : (offset + length) * size
    return bufferFrom(bytesOf(view).slice(offset * size, end))
  }

  get parent(): ArrayBuffer {
    return this.buffer
  }

  get offset(): number {
    return this.byteOffset
  }

  override toString(encoding?: string, start = 0, end = this.length): string {
    const name = encodingOf(encoding)
    const from = Math.max(0, Math.trunc(start) || 0)
    const to = Math.min(this.length, Math.trunc(end) || 0)
    if (from >= to) return ''
    if (name === 'utf8') return host.decode(this, from, to)
    return decodeBytes(from === 0 && to === this.length ? this : this.subarray(from, to), name)
  }

  override toLocaleString(): string {
    return this.toString()
  }

  toJSON(): { type: 'Buffer'; data: number[] } {
    return { type: 'Buffer', data: Array.from(this) }
  }

  [Symbol.for('nodejs.util.inspect.custom')](): string {
    const shown = Array.from(super.subarray(0, SHOWN), (byte) => ` ${byte.toString(16).padStart(2, '0')}`).join('')
    const left = this.length - SHOWN
    return `<Buffer${shown}${left > 0 ? ` ... ${left} more byte${left === 1 ? '' : 's'}` : ''}>`
  }

  equals(other: Uint8Array): boolean {
    if (!(other instanceof Uint8Array)) {
      throw invalidType('otherBuffer', 'an instance of Buffer or Uint8Array', other)
    }
    if (this.length !== other.length) return false
    return this.length === 0 || host.find(this, other, 0) === 0
  }

  compare(
    other: Uint8Array,
    otherStart = 0,
    otherEnd = other.length,
    start: number | undefined = 0,
    end = this.length,
  ): number {
    return Buffer.compare(this.subarray(start, end), other.subarray(otherStart, otherEnd))
  }

  override slice(start?: number, end?: number): Buffer {
    return this.subarray(start, end)
  }

  override subarray(start?: number, end?: number): Buffer {
    const part = super.subarray(start, end)
    // Creates a Buffer only if the JavaScript engine ignores Symbol.species and has returned a plain Uint8Array.
    return part instanceof Buffer ? part : new Buffer(part.buffer, part.byteOffset, part.length)
  }

  copy(target: Uint8Array, targetStart = 0, start = 0, end = this.length): number {
    const room = target.length - targetStart
    if (room <= 0 || start >= end) return 0
    const part = super.subarray(start, Math.min(end, start + room))
    target.set(part, targetStart)
    return part.length
  }

  /**
   * Overloads of Buffer's `write`: `write(text)`, `write(text, encoding)`, `write(text, offset, length?, encoding?)`.
   */
  write(text: string, first?: number | string, second?: number | string, encoding?: string): number {
    if (typeof text !== 'string') throw invalidType('argument', 'of type string', text)
    const offset = typeof first === 'number' ? first : 0
    if (offset < 0 || offset > this.length) throw outOfRange('offset', `>= 0 && <= ${this.length}`, offset)
    const room = Math.min(this.length - offset, typeof second === 'number' ? second : this.length)
    const name = [first, second, encoding].find((value) => typeof value === 'string')
    const known = encodingOf(name)
    if (known === 'utf8') return host.encodeInto(text, super.subarray(offset, offset + room)).written
    const bytes = encodeText(text, known).subarray(0, room)
    this.set(bytes, offset)
    return bytes.length
  }

  /** Overloads of Buffer's `fill`: `fill(value, start?, end?, encoding?)`, `fill(text, encoding)`. */
  override fill(value: unknown, start?: number | string, end?: number | string, encoding?: string): this {
    const name = typeof start === 'string' ? start : typeof end === 'string' ? end : encoding
    const from = typeof start === 'number' ? start : 0
    const to = typeof end === 'number' ? end : this.length
    if (from < 0 || from > this.length) throw outOfRange('offset', `>= 0 && <= ${this.length}`, from)
    if (to < 0 || to > this.length) throw outOfRange('end', `>= 0 && <= ${this.length}`, to)
    const pattern = typeof value === 'string' ? encodeText(value, encodingOf(name)) : value
    if (!(pattern instanceof Uint8Array)) return super.fill(Number(pattern) & 0xff, from, to)
    if (pattern.length === 0) return super.fill(0, from, to)
    for (let at = from; at < to; at += pattern.length) this.set(pattern.subarray(0, to - at), at)
    return this
  }

  override indexOf(value: never, from?: number | string, encoding?: string): number {
    const start = typeof from === 'number' ? Math.trunc(from) || 0 : 0
    const at = start < 0 ? Math.max(0, this.length + start) : start
    if (typeof value === 'number') return super.indexOf(value & 0xff, at)
    const needle = needleOf(value, typeof from === 'string' ? from : encoding)
    if (needle.length === 0) return Math.min(at, this.length)
    return at >= this.length ? -1 : host.find(this, needle, at)
  }

  override lastIndexOf(value: never, from?: number | string, encoding?: string): number {
    const start = typeof from === 'number' ? from : this.length
    const needle = typeof value === 'number' ? Uint8Array.of(value) : needleOf(value, encoding)
    const latest = this.length - needle.length
    for (let at = Math.min(start < 0 ? this.length + start : start, latest); at >= 0; at--) {
      if (needle.every((byte, index) => this[at + index] === byte)) return at
    }
    return -1
  }

  override includes(value: never, from?: number | string, encoding?: string): boolean {
    return this.indexOf(value, from, encoding) !== -1
  }

  swap16(): this {
    return swap(this, 2)
  }

  swap32(): this {
    return swap(this, 4)
  }

  swap64(): this {
    return swap(this, 8)
  }
}

const FROM_TYPES = 'of type string or an instance of Buffer, ArrayBuffer, or Array or an Array-like Object'

/** Implements `Buffer.from`. Returns a view of an ArrayBuffer and a copy of any other value. */
export function bufferFrom(value: unknown, second?: unknown, third?: unknown): Buffer {
  if (typeof value === 'string') return wrap(encodeText(value, encodingOf(second)))
  if (typeof value !== 'object' || value === null) throw invalidType('first argument', FROM_TYPES, value)
  if (
    value instanceof ArrayBuffer ||
    (typeof SharedArrayBuffer !== 'undefined' && value instanceof SharedArrayBuffer)
  ) {
    const offset = Number(second ?? 0) || 0
    return Reflect.construct(Buffer, [value, offset, third === undefined ? undefined : Number(third)])
  }
  if ((ArrayBuffer.isView(value) || Array.isArray(value)) && isArrayLike(value)) return copyOf(value)
  if ('type' in value && value.type === 'Buffer' && 'data' in value && Array.isArray(value.data)) {
    return copyOf(value.data)
  }
  const primitive: unknown = value.valueOf()
  if (primitive !== value && primitive !== null && primitive !== undefined) return bufferFrom(primitive, second, third)
  if (isArrayLike(value)) return copyOf(value)
  throw invalidType('first argument', FROM_TYPES, value)
}

/** Copies an array's values to a new Buffer. Copies a Uint8Array in one step. */
function copyOf(list: ArrayLike<number>): Buffer {
  return wrap(list instanceof Uint8Array ? new Uint8Array(list) : Uint8Array.from(list))
}

/** Creates a Buffer that shares the memory of a Uint8Array. */
export const wrap = (bytes: Uint8Array<ArrayBuffer>): Buffer => new Buffer(bytes.buffer, bytes.byteOffset, bytes.length)

defineNumbers(Buffer.prototype)
