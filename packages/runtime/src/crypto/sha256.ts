import { bytesOfWords, type Compression } from './block-hash.ts'
import { h32, k32 } from './sha2-constants.ts'

/** Hash functions SHA-256 and SHA-224 (FIPS 180-4). */
export class Sha256 implements Compression {
  readonly blockSize = 64
  readonly lengthSize = 8
  readonly littleEndian = false
  readonly #state: Int32Array
  readonly #schedule = new Int32Array(64)

  constructor(state: Int32Array = h32.slice()) {
    this.#state = state
  }

  clone(): Sha256 {
    return new Sha256(this.#state.slice())
  }

  add(block: DataView): void {
    const w = this.#schedule
    for (let index = 0; index < 16; index++) w[index] = block.getInt32(4 * index)
    for (let index = 16; index < 64; index++) {
      const a = w[index - 15] ?? 0
      const b = w[index - 2] ?? 0
      const s0 = ((a >>> 7) | (a << 25)) ^ ((a >>> 18) | (a << 14)) ^ (a >>> 3)
      const s1 = ((b >>> 17) | (b << 15)) ^ ((b >>> 19) | (b << 13)) ^ (b >>> 10)
      w[index] = (w[index - 16] ?? 0) + s0 + (w[index - 7] ?? 0) + s1
    }
    let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = this.#state
    for (let index = 0; index < 64; index++) {
      const s1 = ((e >>> 6) | (e << 26)) ^ ((e >>> 11) | (e << 21)) ^ ((e >>> 25) | (e << 7))
      const t1 = (h + s1 + ((e & f) ^ (~e & g)) + (k32[index] ?? 0) + (w[index] ?? 0)) | 0
      const s0 = ((a >>> 2) | (a << 30)) ^ ((a >>> 13) | (a << 19)) ^ ((a >>> 22) | (a << 10))
      const t2 = s0 + ((a & b) ^ (a & c) ^ (b & c))
      h = g
      g = f
      f = e
      e = (d + t1) | 0
      d = c
      c = b
      b = a
      a = (t1 + t2) | 0
    }
    for (const [index, word] of [a, b, c, d, e, f, g, h].entries()) {
      this.#state[index] = (this.#state[index] ?? 0) + word
    }
  }

  digest(): Uint8Array<ArrayBuffer> {
    return bytesOfWords(this.#state, false)
  }
}
