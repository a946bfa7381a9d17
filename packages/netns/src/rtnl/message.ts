/**
 * Netlink messages as bytes: a 16-byte header, a fixed body, attributes, everything aligned to 4.
 * Little-endian: netlink is host-endian, and x64 and arm64 Linux are little-endian.
 */

/** An attribute to send: its value, or nested attributes. */
export type Attribute = readonly [type: number, value: Uint8Array | readonly Attribute[]]

/** A message as received. */
export interface Message {
  readonly type: number
  readonly flags: number
  readonly sequence: number
  /** What follows the header. */
  readonly body: Uint8Array
}

const HEADER = 16
const NLA_F_NESTED = 0x8000
const NLA_TYPE_MASK = 0x3fff

/** One message: header, fixed body, attributes. */
export function encodeMessage(
  head: { type: number; flags: number; sequence: number },
  fixed: Uint8Array,
  attributes: readonly Attribute[],
): Uint8Array {
  const payload = Buffer.concat([padded(fixed), ...attributes.map(encodeAttribute)])
  const header = Buffer.alloc(HEADER)
  header.writeUInt32LE(HEADER + payload.length, 0)
  header.writeUInt16LE(head.type, 4)
  header.writeUInt16LE(head.flags, 6)
  header.writeUInt32LE(head.sequence, 8)
  return Buffer.concat([header, payload])
}

function encodeAttribute([type, value]: Attribute): Uint8Array {
  const nested = !(value instanceof Uint8Array)
  const bytes = nested ? Buffer.concat(value.map(encodeAttribute)) : value
  const header = Buffer.alloc(4)
  header.writeUInt16LE(4 + bytes.length, 0)
  header.writeUInt16LE(nested ? type | NLA_F_NESTED : type, 2)
  return Buffer.concat([header, padded(bytes)])
}

/** The messages of one datagram. Throws a `RangeError` when a length lies. */
export function decodeMessages(datagram: Uint8Array): Message[] {
  const messages: Message[] = []
  const bytes = view(datagram)
  for (let offset = 0; offset + HEADER <= bytes.length; ) {
    const length = bytes.readUInt32LE(offset)
    if (length < HEADER || offset + length > bytes.length) {
      throw new RangeError(`Bad netlink message: length ${length} at ${offset} of ${bytes.length} bytes`)
    }
    messages.push({
      type: bytes.readUInt16LE(offset + 4),
      flags: bytes.readUInt16LE(offset + 6),
      sequence: bytes.readUInt32LE(offset + 8),
      body: bytes.subarray(offset + HEADER, offset + length),
    })
    offset += align(length)
  }
  return messages
}

/** The attributes that follow a fixed part, by type; of repeated ones the last. */
export function decodeAttributes(body: Uint8Array, fixedLength: number): ReadonlyMap<number, Buffer> {
  const attributes = new Map<number, Buffer>()
  const bytes = view(body)
  for (let offset = align(fixedLength); offset + 4 <= bytes.length; ) {
    const length = bytes.readUInt16LE(offset)
    if (length < 4 || offset + length > bytes.length) {
      throw new RangeError(`Bad netlink attribute: length ${length} at ${offset} of ${bytes.length} bytes`)
    }
    attributes.set(bytes.readUInt16LE(offset + 2) & NLA_TYPE_MASK, bytes.subarray(offset + 4, offset + length))
    offset += align(length)
  }
  return attributes
}

/** A 32-bit value. */
export function u32(value: number): Uint8Array {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(value >>> 0)
  return bytes
}

/** NUL-terminated text. */
export function cString(value: string): Uint8Array {
  return Buffer.from(`${value}\0`)
}

/** Text up to its NUL. */
export function readCString(bytes: Uint8Array | undefined): string | undefined {
  if (bytes === undefined) return undefined
  const end = bytes.indexOf(0)
  return view(end === -1 ? bytes : bytes.subarray(0, end)).toString('utf8')
}

/** A 32-bit value, if the attribute is there and long enough. */
export function readU32(bytes: Buffer | undefined): number | undefined {
  return bytes !== undefined && bytes.length >= 4 ? bytes.readUInt32LE(0) : undefined
}

/** The same bytes as a `Buffer`. */
export function view(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}

function padded(bytes: Uint8Array): Uint8Array {
  const missing = align(bytes.length) - bytes.length
  return missing === 0 ? bytes : Buffer.concat([bytes, Buffer.alloc(missing)])
}

function align(length: number): number {
  return (length + 3) & ~3
}
