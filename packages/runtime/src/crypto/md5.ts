import { bytesOfWords, type Compression } from './block-hash.ts'

const shifts = [7, 12, 17, 22, 5, 9, 14, 20, 4, 11, 16, 23, 6, 10, 15, 21]
const k = Int32Array.from({ length: 64 }, (_, index) => Math.floor(Math.abs(Math.sin(index + 1)) * 2 ** 32))

/** Hash function MD5 (RFC 1321), for checksums of existing protocols. */
export class Md5 implements Compression {
  readonly blockSize = 64
  readonly lengthSize = 8
  readonly littleEndian = true
  readonly #state: Int32Array

  constructor(state = Int32Array.of(0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476)) {
    this.#state = state
  }

  clone(): Md5 {
    return new Md5(this.#state.slice())
  }

  add(block: DataView): void {
    let [a = 0, b = 0, c = 0, d = 0] = this.#state
    for (let index = 0; index < 64; index++) {
      const round = index >> 4
      const [mixed, word] = mix(round, index, b, c, d)
      const sum = (a + mixed + (k[index] ?? 0) + block.getInt32(4 * word, true)) | 0
      const shift = shifts[4 * round + (index & 3)] ?? 0
      a = d
      d = c
      c = b
      b = (b + ((sum << shift) | (sum >>> (32 - shift)))) | 0
    }
    for (const [index, word] of [a, b, c, d].entries()) this.#state[index] = (this.#state[index] ?? 0) + word
  }

  digest(): Uint8Array<ArrayBuffer> {
    return bytesOfWords(this.#state, true)
  }
}

function mix(round: number, index: number, b: number, c: number, d: number): [mixed: number, word: number] {
  if (round === 0) return [(b & c) | (~b & d), index]
  if (round === 1) return [(d & b) | (~d & c), (5 * index + 1) & 15]
  if (round === 2) return [b ^ c ^ d, (3 * index + 5) & 15]
  return [c ^ (b | ~d), (7 * index) & 15]
}
