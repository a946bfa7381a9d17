/** Builds the binary structure of an xt module. Numbers are in host byte order, except in `be16`. */
export class Structure {
  readonly bytes: Buffer

  /** Pads the structure's length to a multiple of eight bytes, as the xt modules require. */
  constructor(size: number) {
    this.bytes = Buffer.alloc((size + 7) & ~7)
  }

  u8(at: number, value: number): this {
    this.bytes.writeUInt8(value, at)
    return this
  }

  u16(at: number, value: number): this {
    this.bytes.writeUInt16LE(value, at)
    return this
  }

  be16(at: number, value: number): this {
    this.bytes.writeUInt16BE(value, at)
    return this
  }

  u32(at: number, value: number): this {
    this.bytes.writeUInt32LE(value >>> 0, at)
    return this
  }

  set(at: number, value: Uint8Array): this {
    this.bytes.set(value, at)
    return this
  }

  text(at: number, value: string): this {
    this.bytes.write(value, at)
    return this
  }
}
