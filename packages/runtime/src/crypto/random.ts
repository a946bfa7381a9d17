import { Buffer } from '../buffer/buffer.ts'
import { bytesOf } from '../buffer/bytes-of.ts'
import { invalidType, outOfRange } from '../errors.ts'
import { refuseAtSnapshot } from '../host.ts'
import { nextTick } from '../loop/ticks.ts'
import { callError } from '../sys/errno.ts'
import { callAgain } from '../sys/numbers.ts'

/** Fills memory with random bytes from the kernel. */
export function fillRandom<T extends ArrayBufferView>(view: T): T {
  refuseAtSnapshot('random bytes')
  for (let rest = bytesOf(view); rest.length > 0; ) {
    const count = callAgain('getrandom', rest, rest.length, 0)
    if (count < 0) throw callError(count, 'getrandom')
    rest = rest.subarray(count)
  }
  return view
}

type Callback<T> = (error: Error | null, value: T) => void

export function randomBytes(size: number, callback?: Callback<Buffer>): Buffer | undefined {
  if (typeof size !== 'number') throw invalidType('size', 'of type number', size)
  if (!(size >= 0 && size <= 0x7fff_ffff)) throw outOfRange('size', '>= 0 && <= 2147483647', size)
  const bytes = fillRandom(new Buffer(size))
  if (callback === undefined) return bytes
  nextTick(() => callback(null, bytes))
  return undefined
}

export function randomFillSync<T extends ArrayBufferView>(view: T, offset = 0, size = view.byteLength - offset): T {
  fillRandom(bytesOf(view).subarray(offset, offset + size))
  return view
}

export function randomUUID(): string {
  const bytes = fillRandom(new Buffer(16))
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}

/** Implements Node's `randomInt(max)` and `randomInt(min, max)`. The distribution is uniform. */
export function randomInt(first: number, second?: number): number {
  const [min, max] = second === undefined ? [0, first] : [first, second]
  if (!Number.isSafeInteger(min)) throw invalidType('min', 'a safe integer', min)
  if (!Number.isSafeInteger(max)) throw invalidType('max', 'a safe integer', max)
  if (max <= min) throw outOfRange('max', `greater than the value of "min" (${min})`, max)
  const range = max - min
  const limit = 2 ** 48 - (2 ** 48 % range)
  for (;;) {
    const [a = 0, b = 0, c = 0] = fillRandom(new Uint16Array(3))
    const value = a * 2 ** 32 + b * 2 ** 16 + c
    if (value < limit) return min + (value % range)
  }
}
