/** Processes one block of input for a hash function. MD5, SHA-1 and SHA-2 share all other code. */
export interface Compression {
  readonly blockSize: number
  /** Size in bytes of the field for the message length, at the end of the last block. */
  readonly lengthSize: number
  readonly littleEndian: boolean
  add(block: DataView): void
  digest(): Uint8Array<ArrayBuffer>
  clone(): Compression
}

export class BlockHash {
  readonly #compression: Compression
  readonly #block: Uint8Array<ArrayBuffer>
  readonly #view: DataView
  #filled = 0
  #length = 0

  constructor(compression: Compression) {
    this.#compression = compression
    this.#block = new Uint8Array(compression.blockSize)
    this.#view = new DataView(this.#block.buffer)
  }

  clone(): BlockHash {
    const copy = new BlockHash(this.#compression.clone())
    copy.#block.set(this.#block)
    copy.#filled = this.#filled
    copy.#length = this.#length
    return copy
  }

  update(bytes: Uint8Array): void {
    this.#length += bytes.length
    for (let at = 0; at < bytes.length; ) {
      const part = bytes.subarray(at, at + this.#block.length - this.#filled)
      this.#block.set(part, this.#filled)
      this.#filled += part.length
      at += part.length
      if (this.#filled === this.#block.length) this.#compress()
    }
  }

  digest(): Uint8Array<ArrayBuffer> {
    const { lengthSize, littleEndian } = this.#compression
    const bits = BigInt(this.#length) * 8n
    this.#block[this.#filled++] = 0x80
    if (this.#filled > this.#block.length - lengthSize) this.#compress()
    this.#block.fill(0, this.#filled)
    const at = this.#block.length - (littleEndian ? lengthSize : 8)
    this.#view.setBigUint64(at, bits, littleEndian)
    this.#compression.add(this.#view)
    return this.#compression.digest()
  }

  #compress(): void {
    this.#block.fill(0, this.#filled)
    this.#compression.add(this.#view)
    this.#filled = 0
  }
}

/** Encodes the 32-bit words of a hash state as bytes. */
export function bytesOfWords(words: Int32Array, littleEndian: boolean, length = words.length): Uint8Array<ArrayBuffer> {
  const view = new DataView(new ArrayBuffer(4 * length))
  for (let index = 0; index < length; index++) view.setInt32(4 * index, words[index] ?? 0, littleEndian)
  return new Uint8Array(view.buffer)
}
