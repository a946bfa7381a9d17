import { NetnsError } from '../handle/netns-error.ts'
import { align } from './align.ts'
import { NLA_F_NESTED, NLA_HDRLEN, NLMSG_HDRLEN } from './constants.ts'

/** Netlink attribute to send: its type with a value, or with nested attributes. */
export type Attribute = readonly [type: number, value: Uint8Array | readonly Attribute[]]

/**
 * Encodes one netlink message: header, fixed part and attributes. Throws `NetnsError('INVALID')` for an attribute that
 * is too long.
 */
export function encodeMessage({
  type,
  flags = 0,
  fixed,
  attributes = [],
}: {
  readonly type: number
  readonly flags?: number | undefined
  /** Fixed part of the message before the attributes: `ifinfomsg`, `nfgenmsg` … Default: empty. */
  readonly fixed?: Uint8Array | undefined
  readonly attributes?: readonly Attribute[] | undefined
}): Buffer {
  const start = NLMSG_HDRLEN + align(fixed?.length ?? 0)
  const bytes = Buffer.alloc(start + sizeOf(attributes))
  if (fixed !== undefined) bytes.set(fixed, NLMSG_HDRLEN)
  writeHeader(bytes, 0, bytes.length, type, flags)
  writeAttributes(bytes, start, attributes)
  return bytes
}

/**
 * Encodes netlink attributes without a message header, optionally after a fixed part. Use the result as a value with
 * `NLA_F_NESTED` in its type.
 */
export function encodeAttributes(attributes: readonly Attribute[], fixed?: Uint8Array): Buffer {
  return encodeMessage({ type: 0, fixed, attributes }).subarray(NLMSG_HDRLEN)
}

export type Request = Parameters<typeof encodeMessage>[0] & { readonly what: string }

/** Writes the header of a netlink message with sequence number 0. */
export function writeHeader(bytes: Buffer, at: number, length: number, type: number, flags: number): void {
  bytes.writeUInt32LE(length, at)
  bytes.writeUInt16LE(type, at + 4)
  bytes.writeUInt16LE(flags, at + 6)
}

/** Computes the size of encoded netlink attributes in bytes, including their headers. */
export function sizeOf(attributes: readonly Attribute[]): number {
  let size = 0
  for (const [, value] of attributes) {
    size += NLA_HDRLEN + (value instanceof Uint8Array ? align(value.length) : sizeOf(value))
  }
  return size
}

/** Writes netlink attributes into a buffer that has room for them. Returns the offset after the last attribute. */
export function writeAttributes(bytes: Buffer, at: number, attributes: readonly Attribute[]): number {
  let end = at
  for (const [type, value] of attributes) {
    const start = end
    if (value instanceof Uint8Array) {
      bytes.set(value, start + NLA_HDRLEN)
      end = start + NLA_HDRLEN + value.length
      writeAttributeHeader(bytes, start, end - start, type)
    } else {
      end = writeAttributes(bytes, start + NLA_HDRLEN, value)
      writeAttributeHeader(bytes, start, end - start, type | NLA_F_NESTED)
    }
    end = align(end)
  }
  return end
}

/** Writes the header of a netlink attribute. Throws `NetnsError('INVALID')` if the attribute is too long. */
export function writeAttributeHeader(bytes: Buffer, at: number, length: number, type: number): void {
  if (length > 0xffff) {
    throw new NetnsError('INVALID', `A netlink attribute of ${length} bytes: at most 65535 fit; send several messages`)
  }
  bytes.writeUInt16LE(length, at)
  bytes.writeUInt16LE(type, at + 2)
}
