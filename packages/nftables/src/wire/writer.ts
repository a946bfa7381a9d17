import { invalid } from './nft-error.ts'

const HEADER = 4
const MOST = 0xffff

/**
 * Attributes, one behind the other. Nested ones are not marked as such, because the kernel does not mark its own: so what
 * is written and what is told are the same bytes.
 */
export class AttributeWriter {
  #bytes = Buffer.alloc(16_384)
  #length = 0

  u8(value: number): void {
    const at = this.#advance(1)
    this.#bytes.writeUInt8(value, at)
  }

  u16(value: number): void {
    const at = this.#advance(2)
    this.#bytes.writeUInt16BE(value, at)
  }

  u32(value: number): void {
    const at = this.#advance(4)
    this.#bytes.writeUInt32BE(value >>> 0, at)
  }

  u64(value: bigint): void {
    const at = this.#advance(8)
    this.#bytes.writeBigUInt64BE(value, at)
  }

  raw(value: Uint8Array): void {
    const at = this.#advance(value.length)
    this.#bytes.set(value, at)
  }

  /** With its NUL. */
  text(value: string): void {
    const length = Buffer.byteLength(value)
    const at = this.#advance(length + 1)
    this.#bytes.write(value, at)
    this.#bytes[at + length] = 0
  }

  /** Begins an attribute; its value is what is written until it is closed. */
  open(type: number): number {
    const at = this.#advance(HEADER)
    this.#bytes.writeUInt16LE(type, at + 2)
    return at
  }

  /** Throws `NftError('INVALID')` for one that is too long. */
  close(at: number): void {
    const length = this.#length - at
    if (length > MOST) invalid(`An attribute of ${length} bytes, a rule or a value: at most ${MOST} fit`)
    this.#bytes.writeUInt16LE(length, at)
    const padding = -length & 3
    if (padding > 0) {
      const end = this.#advance(padding)
      this.#bytes.fill(0, end, end + padding)
    }
  }

  /** What the function writes, as bytes of its own; nothing stays, also when it throws. */
  take(write: (writer: AttributeWriter) => void): Buffer {
    const start = this.#length
    try {
      write(this)
      return Buffer.from(this.#bytes.subarray(start, this.#length))
    } finally {
      this.#length = start
    }
  }

  /** Makes room; the bytes may be others afterwards. */
  #advance(length: number): number {
    const at = this.#length
    this.#length += length
    if (this.#length > this.#bytes.length) {
      const larger = Buffer.alloc(Math.max(2 * this.#bytes.length, this.#length))
      larger.set(this.#bytes)
      this.#bytes = larger
    }
    return at
  }
}

const scratch = new AttributeWriter()

/** What a function writes, as bytes. */
export function written(write: (writer: AttributeWriter) => void): Buffer {
  return scratch.take(write)
}
