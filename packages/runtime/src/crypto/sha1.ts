import { bytesOfWords, type Compression } from './block-hash.ts'

const rotate = (word: number, by: number): number => (word << by) | (word >>> (32 - by))

/** Hash function SHA-1 (FIPS 180-4), for names and checksums of existing protocols. */
export class Sha1 implements Compression {
  readonly blockSize = 64
  readonly lengthSize = 8
  readonly littleEndian = false
  readonly #state: Int32Array
  readonly #schedule = new Int32Array(80)

  constructor(state = Int32Array.of(0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0)) {
    this.#state = state
  }

  clone(): Sha1 {
    return new Sha1(this.#state.slice())
  }

  add(block: DataView): void {
    const w = this.#schedule
    for (let index = 0; index < 16; index++) w[index] = block.getInt32(4 * index)
    for (let index = 16; index < 80; index++) {
      w[index] = rotate((w[index - 3] ?? 0) ^ (w[index - 8] ?? 0) ^ (w[index - 14] ?? 0) ^ (w[index - 16] ?? 0), 1)
    }
    let [a = 0, b = 0, c = 0, d = 0, e = 0] = this.#state
    for (let index = 0; index < 80; index++) {
      const next = rotate(a, 5) + mix(index, b, c, d) + e + (w[index] ?? 0)
      e = d
      d = c
      c = rotate(b, 30)
      b = a
      a = next | 0
    }
    for (const [index, word] of [a, b, c, d, e].entries()) this.#state[index] = (this.#state[index] ?? 0) + word
  }

  digest(): Uint8Array<ArrayBuffer> {
    return bytesOfWords(this.#state, false)
  }
}

function mix(round: number, b: number, c: number, d: number): number {
  if (round < 20) return ((b & c) | (~b & d)) + 0x5a827999
  if (round < 40) return (b ^ c ^ d) + 0x6ed9eba1
  if (round < 60) return ((b & c) | (b & d) | (c & d)) + 0x8f1bbcdc
  return (b ^ c ^ d) + 0xca62c1d6
}
