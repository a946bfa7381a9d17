import { cString } from '@cni/netns/netlink'
import { invalid } from '../nft-error.ts'

const NLA_HDRLEN = 4
const NLMSG_HDRLEN = 16
const MOST = 0xffff

/**
 * Messages and attributes, one behind the other, each whole at once: most time of a batch is spent here. Nested ones are
 * not marked as such, because the kernel does not mark its own: so what is written and what is told are the same bytes.
 */
export class AttributeWriter {
  #bytes: Buffer
  // Its methods are native in every engine.
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
    // Zeros behind it, where it does not end with a word.
    if ((length & 3) !== 0) this.#view.setUint32(this.#length - 4, 0)
    this.#view.setUint32(at, (type << 16) | length, true)
    this.#bytes.set(value, at + NLA_HDRLEN)
  }

  /** With its NUL. Throws `NetnsError('INVALID')` for one in it. */
  text(type: number, value: string): void {
    this.bytes(type, texts.get(value) ?? textBytes(value))
  }

  /** Attributes that are written already. */
  raw(attributes: Uint8Array): void {
    const at = this.#advance(attributes.length)
    this.#bytes.set(attributes, at)
  }

  /** Begins an attribute that consists of attributes. */
  open(type: number): number {
    const at = this.#advance(NLA_HDRLEN)
    this.#view.setUint16(at + 2, type, true)
    return at
  }

  /** Ends it. Throws `NftError('INVALID')` for one that is too long. */
  close(at: number): void {
    this.#view.setUint16(at, checked(this.#length - at), true)
  }

  /** Begins a message, with its `nfgenmsg`. */
  begin(type: number, flags: number, family: number, resource = 0): number {
    const at = this.#advance(NLMSG_HDRLEN + 4)
    const view = this.#view
    view.setUint16(at + 4, type, true)
    view.setUint16(at + 6, flags, true)
    // The sequence number and the port, which the channel and the kernel know.
    view.setUint32(at + 8, 0)
    view.setUint32(at + 12, 0)
    view.setUint32(at + 16, (family << 24) | resource)
    return at
  }

  /** Ends it. */
  end(at: number): void {
    this.#view.setUint32(at, this.#length - at, true)
  }

  /** What has been written since then is not. */
  cut(length: number): void {
    this.#length = length
  }

  /** What the function writes, as bytes of its own; nothing stays, also when it throws. */
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

  /** Makes room; the bytes may be others afterwards. */
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

/** Names come again and again, and encoding one takes as long as the rest of its attribute. */
const texts = new Map<string, Uint8Array>()
const MOST_TEXTS = 500
const LONGEST_TEXT = 64

function textBytes(text: string): Uint8Array {
  const bytes = cString(text)
  if (texts.size >= MOST_TEXTS) texts.clear()
  if (text.length <= LONGEST_TEXT) texts.set(text, bytes)
  return bytes
}

const viewOf = ({ buffer, byteOffset, length }: Buffer) => new DataView(buffer, byteOffset, length)

function checked(length: number): number {
  return length > MOST ? invalid(`An attribute of ${length} bytes, a rule or a value: at most ${MOST} fit`) : length
}

const scratch = new AttributeWriter(4096)

/** What a function writes, as bytes. */
export function written(write: (writer: AttributeWriter) => void): Buffer {
  return scratch.take(write)
}
