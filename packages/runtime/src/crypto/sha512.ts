import type { Compression } from './block-hash.ts'
import { h64, k64 } from './sha2-constants.ts'

const wrap = (value: bigint): bigint => BigInt.asUintN(64, value)
const rotate = (word: bigint, by: bigint): bigint => (word >> by) | wrap(word << (64n - by))

const h384 = [
  0xcbbb9d5dc1059ed8n,
  0x629a292a367cd507n,
  0x9159015a3070dd17n,
  0x152fecd8f70e5939n,
  0x67332667ffc00b31n,
  0x8eb44a8768581511n,
  0xdb0c2e0d64f98fa7n,
  0x47b5481dbefa4fa4n,
]

/** Hash functions SHA-512 and SHA-384 (FIPS 180-4). */
export class Sha512 implements Compression {
  readonly blockSize = 128
  readonly lengthSize = 16
  readonly littleEndian = false
  readonly #size: number
  #state: readonly bigint[]

  constructor(size: 48 | 64 = 64, state?: readonly bigint[]) {
    this.#size = size
    this.#state = state ?? (size === 64 ? h64 : h384)
  }

  clone(): Sha512 {
    return new Sha512(this.#size === 64 ? 64 : 48, this.#state)
  }

  add(block: DataView): void {
    const w = Array.from({ length: 16 }, (_, index) => block.getBigUint64(8 * index))
    for (let index = 16; index < 80; index++) {
      const [a = 0n, b = 0n] = [w[index - 15], w[index - 2]]
      const s0 = rotate(a, 1n) ^ rotate(a, 8n) ^ (a >> 7n)
      const s1 = rotate(b, 19n) ^ rotate(b, 61n) ^ (b >> 6n)
      w.push(wrap((w[index - 16] ?? 0n) + s0 + (w[index - 7] ?? 0n) + s1))
    }
    let [a = 0n, b = 0n, c = 0n, d = 0n, e = 0n, f = 0n, g = 0n, h = 0n] = this.#state
    for (let index = 0; index < 80; index++) {
      const s1 = rotate(e, 14n) ^ rotate(e, 18n) ^ rotate(e, 41n)
      const t1 = h + s1 + ((e & f) ^ (wrap(~e) & g)) + (k64[index] ?? 0n) + (w[index] ?? 0n)
      const s0 = rotate(a, 28n) ^ rotate(a, 34n) ^ rotate(a, 39n)
      const t2 = s0 + ((a & b) ^ (a & c) ^ (b & c))
      h = g
      g = f
      f = e
      e = wrap(d + t1)
      d = c
      c = b
      b = a
      a = wrap(t1 + t2)
    }
    const words = [a, b, c, d, e, f, g, h]
    this.#state = this.#state.map((word, index) => wrap(word + (words[index] ?? 0n)))
  }

  digest(): Uint8Array<ArrayBuffer> {
    const view = new DataView(new ArrayBuffer(64))
    for (const [index, word] of this.#state.entries()) view.setBigUint64(8 * index, word)
    return new Uint8Array(view.buffer).slice(0, this.#size)
  }
}
