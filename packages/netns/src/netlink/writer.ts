import { align } from './align.ts'
import { NLA_F_NESTED, NLA_HDRLEN, NLMSG_HDRLEN } from './constants.ts'
import { type Attribute, sizeOf, writeAttributeHeader, writeAttributes, writeHeader } from './encode.ts'
import { cString } from './values.ts'

/**
 * Writes netlink messages one after the other into a buffer, for a batch. The channel's method `exchange` sets the
 * sequence numbers.
 *
 * @example
 * const batch = new MessageWriter()
 * batch.begin(NFNL_MSG_BATCH_BEGIN, NLM_F_REQUEST, subsystem).end()
 * batch.begin(NEWRULE, NLM_F_REQUEST | NLM_F_CREATE, family).string(1, 'nat').string(2, 'output')
 * batch.nest(4).nest(1).string(1, 'counter').end().end().end()
 * batch.begin(NFNL_MSG_BATCH_END, NLM_F_REQUEST | NLM_F_ACK, subsystem).end()
 * const { refusals } = channel.exchange(batch.take(), 'Add a rule')
 */
export class MessageWriter {
  #bytes: Buffer
  #length = 0
  /** Offsets of the message and of the nested attributes that `end` has not closed yet. */
  readonly #open: number[] = []

  /** Initial size of the writer's buffer in bytes. The buffer grows as needed. */
  constructor(size = 4096) {
    this.#bytes = Buffer.alloc(size)
  }

  /** Number of bytes in the writer's buffer so far. */
  get length(): number {
    return this.#length
  }

  /** Begins a netlink message: writes its header and its fixed part. */
  begin(type: number, flags: number, fixed?: Uint8Array): this {
    if (this.#open.length > 0) throw new Error('Bug: a netlink message begins before the one before it ends')
    const at = this.#advance(NLMSG_HDRLEN + (fixed?.length ?? 0))
    this.#open.push(at)
    writeHeader(this.#bytes, at, 0, type, flags)
    if (fixed !== undefined) this.#bytes.set(fixed, at + NLMSG_HDRLEN)
    return this
  }

  /** Adds a netlink attribute whose value is any bytes. */
  bytes(type: number, value: Uint8Array): this {
    const at = this.#attribute(type, value.length)
    this.#bytes.set(value, at)
    return this
  }

  /** Adds a netlink attribute whose value is a 32-bit number in host byte order. */
  u32(type: number, value: number): this {
    const at = this.#attribute(type, 4)
    this.#bytes.writeUInt32LE(value >>> 0, at)
    return this
  }

  /** Adds a netlink attribute whose value is a 32-bit number in network byte order. */
  be32(type: number, value: number): this {
    const at = this.#attribute(type, 4)
    this.#bytes.writeUInt32BE(value >>> 0, at)
    return this
  }

  /**
   * Adds a netlink attribute whose value is NUL-terminated text. Throws `NetnsError('INVALID')` for text with a NUL.
   */
  string(type: number, text: string): this {
    return this.bytes(type, cString(text))
  }

  /** Adds all netlink attributes of a list. */
  attributes(list: readonly Attribute[]): this {
    const at = this.#advance(sizeOf(list))
    writeAttributes(this.#bytes, at, list)
    return this
  }

  /** Begins a netlink attribute that contains other attributes. */
  nest(type: number): this {
    this.#open.push(this.#attribute(type | NLA_F_NESTED, 0) - NLA_HDRLEN)
    return this
  }

  /**
   * Ends the netlink message or nested attribute that was begun last. Throws `NetnsError('INVALID')` for a nested
   * attribute that is too long.
   */
  end(): this {
    const at = this.#open.pop()
    if (at === undefined) throw new Error('Bug: the end of a netlink message that was not begun')
    const length = this.#length - at
    if (this.#open.length === 0) this.#bytes.writeUInt32LE(length, at)
    else writeAttributeHeader(this.#bytes, at, length, this.#bytes.readUInt16LE(at + 2))
    return this
  }

  /** Returns the bytes of all messages written and empties the writer. */
  take(): Buffer {
    if (this.#open.length > 0) throw new Error('Bug: a netlink message is taken before its end')
    const taken = this.#bytes.subarray(0, this.#length)
    this.#bytes = Buffer.alloc(0)
    this.#length = 0
    return taken
  }

  /** Reserves room for a value and returns its offset. May replace the writer's buffer. */
  #attribute(type: number, length: number): number {
    const at = this.#advance(NLA_HDRLEN + length)
    writeAttributeHeader(this.#bytes, at, NLA_HDRLEN + length, type)
    return at + NLA_HDRLEN
  }

  #advance(length: number): number {
    const at = this.#length
    this.#length += align(length)
    if (this.#length > this.#bytes.length) {
      const larger = Buffer.alloc(Math.max(2 * this.#bytes.length, this.#length, 256))
      larger.set(this.#bytes)
      this.#bytes = larger
    }
    return at
  }
}
