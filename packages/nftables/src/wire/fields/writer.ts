import { cString } from '@cni/netns/netlink'
import { invalid } from '../nft-error.ts'

const NLA_HDRLEN = 4
const NLMSG_HDRLEN = 16
const MAX_ATTRIBUTE_BYTES = 0xffff

/** Writes netlink attributes without `NLA_F_NESTED`, because the kernel's messages lack this flag, too. */
export class AttributeWriter {
  #bytes: Buffer
  // Writes numbers with a `DataView`, because every JavaScript engine implements it natively.
  #view: DataView
  #length = 0

  constructor(room: number) {
    this.#bytes = Buffer.alloc(room)
    this.#view = viewOf(this.#bytes)
  }

  u8(type: number, value: number): void {
    this.#word(5, type, value << 24)
  }

  u16(type: number, value: number): void {
    this.#word(6, type, value << 16)
  }

  u32(type: number, value: number): void {
    this.#word(8, type, value)
  }

  u64(type: number, value: bigint): void {
    const at = this.#advance(12)
    this.#view.setUint32(at, (type << 16) | 12, true)
    this.#view.setBigUint64(at + NLA_HDRLEN, value)
  }

  bytes(type: number, value: Uint8Array): void {
    const length = checked(NLA_HDRLEN + value.length)
    const at = this.#advance((length + 3) & ~3)
    // Pads the attribute's value with zeros to a multiple of four bytes.
    if ((length & 3) !== 0) this.#view.setUint32(this.#length - 4, 0)
    this.#view.setUint32(at, (type << 16) | length, true)
    this.#bytes.set(value, at + NLA_HDRLEN)
  }

  /** Writes an attribute with a text and a NUL. Throws `NetnsError('INVALID')` if the text contains a NUL. */
  text(type: number, value: string): void {
    this.bytes(type, texts.get(value) ?? textBytes(value))
  }

  /** Writes netlink attributes that are already encoded. */
  raw(attributes: Uint8Array): void {
    const at = this.#advance(attributes.length)
    this.#bytes.set(attributes, at)
  }

  /** Begins a netlink attribute that contains attributes. Returns its offset, for `close`. */
  open(type: number): number {
    const at = this.#advance(NLA_HDRLEN)
    this.#view.setUint16(at + 2, type, true)
    return at
  }

  /** Ends the netlink attribute that begins at an offset. Throws `NftError('INVALID')` if the attribute is too long. */
  close(at: number): void {
    this.#view.setUint16(at, checked(this.#length - at), true)
  }

  /** Begins a netlink message with its `nfgenmsg`. Returns its offset, for `end`. */
  begin(type: number, flags: number, family: number, resource = 0): number {
    const at = this.#advance(NLMSG_HDRLEN + 4)
    const view = this.#view
    view.setUint16(at + 4, type, true)
    view.setUint16(at + 6, flags, true)
    // The sequence number and the port stay 0: the channel sets the sequence number, the kernel sets the port.
    view.setUint32(at + 8, 0)
    view.setUint32(at + 12, 0)
    view.setUint32(at + 16, (family << 24) | resource)
    return at
  }

  /** Ends the netlink message that begins at an offset. */
  end(at: number): void {
    this.#view.setUint32(at, this.#length - at, true)
  }

  /** Removes all written bytes from an offset on. */
  cut(length: number): void {
    this.#length = length
  }

  /** Returns the bytes that a function writes, and removes them from the buffer, also after an error. */
  take(write: (writer: AttributeWriter) => void, start = this.#length): Buffer {
    const length = this.#length
    try {
      write(this)
      return Buffer.from(this.#bytes.subarray(start, this.#length))
    } finally {
      this.#length = length
    }
  }

  #word(length: number, type: number, value: number): void {
    const at = this.#advance(8)
    this.#view.setUint32(at, (type << 16) | length, true)
    this.#view.setUint32(at + NLA_HDRLEN, value)
  }

  /** Reserves bytes at the end of the buffer and returns their offset. */
  #advance(length: number): number {
    const at = this.#length
    this.#length += length
    if (this.#length > this.#bytes.length) {
      const larger = Buffer.alloc(2 * this.#length)
      larger.set(this.#bytes)
      this.#bytes = larger
      this.#view = viewOf(larger)
    }
    return at
  }
}

/** Cache of encoded texts: names of tables, chains and expressions are written often. */
const texts = new Map<string, Uint8Array>()
const MAX_CACHED_TEXTS = 500
const MAX_CACHED_LENGTH = 64

function textBytes(text: string): Uint8Array {
  const bytes = cString(text)
  if (texts.size >= MAX_CACHED_TEXTS) texts.clear()
  if (text.length <= MAX_CACHED_LENGTH) texts.set(text, bytes)
  return bytes
}

const viewOf = ({ buffer, byteOffset, length }: Buffer) => new DataView(buffer, byteOffset, length)

function checked(length: number): number {
  return length > MAX_ATTRIBUTE_BYTES
    ? invalid(`An attribute (a rule or a value) of ${length} bytes is too long: at most ${MAX_ATTRIBUTE_BYTES} fit`)
    : length
}

const scratch = new AttributeWriter(4096)

/** Returns the netlink attributes that a function writes, as bytes. */
export function written(write: (writer: AttributeWriter) => void): Buffer {
  return scratch.take(write)
}
