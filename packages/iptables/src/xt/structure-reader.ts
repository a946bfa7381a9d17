/** Size in bytes of the longest xt module structure (sctp). */
const MAX_BYTES = 296
const ZEROS = /* @__PURE__ */ Buffer.alloc(MAX_BYTES)

/**
 * Reads an xt module's structure and clears the bytes that it has read. Bytes that stay nonzero mean unknown options.
 */
export class StructureReader {
  readonly #bytes = Buffer.alloc(MAX_BYTES)
  readonly #isWhole: boolean

  constructor(info: Uint8Array) {
    this.#bytes.set(info.subarray(0, MAX_BYTES))
    this.#isWhole = info.length <= MAX_BYTES
  }

  /** Reads a flag byte. Does not clear a value above 1, because this value means an unknown option. */
  flag(at: number): boolean {
    return this.#bytes[at] === 1 && this.u8(at) === 1
  }

  u8(at: number): number {
    return this.#taken(this.#bytes.readUInt8(at), at, 1)
  }

  u16(at: number): number {
    return this.#taken(this.#bytes.readUInt16LE(at), at, 2)
  }

  be16(at: number): number {
    return this.#taken(this.#bytes.readUInt16BE(at), at, 2)
  }

  u32(at: number): number {
    return this.#taken(this.#bytes.readUInt32LE(at), at, 4)
  }

  take(at: number, length: number): Buffer {
    return this.#taken(Buffer.from(this.#bytes.subarray(at, at + length)), at, length)
  }

  /** Reads text up to a NUL byte. Nonzero bytes after the NUL byte mean unknown options. */
  text(at: number, most: number): string {
    const end = this.#bytes.indexOf(0, at)
    const length = end === -1 ? most : Math.min(end - at, most)
    return this.take(at, length).toString()
  }

  isEmpty(): boolean {
    return this.#isWhole && this.#bytes.equals(ZEROS)
  }

  #taken<T>(value: T, at: number, length: number): T {
    this.#bytes.fill(0, at, at + length)
    return value
  }
}
