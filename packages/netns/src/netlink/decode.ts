import { NetnsError } from '../handle/netns-error.ts'
import { align } from './align.ts'
import { NLA_HDRLEN, NLA_TYPE_MASK, NLMSG_HDRLEN } from './constants.ts'

/** Netlink message as received from the kernel. */
export interface Message {
  readonly type: number
  readonly flags: number
  /** Sequence number of the request that the message answers, or of the request that caused an event. */
  readonly sequence: number
  /** Netlink port of the socket that sent the request. In an event, port of the socket that made the change. */
  readonly port: number
  /** Bytes after the message header: the fixed part that the netlink family defines, then attributes. */
  readonly body: Buffer
}

/**
 * Decodes the netlink messages of one datagram, without copying their bytes. Throws `NetnsError('PROTOCOL')` for an
 * invalid length.
 */
export function decodeMessages(datagram: Uint8Array): Message[] {
  const bytes = Buffer.from(datagram.buffer, datagram.byteOffset, datagram.byteLength)
  const messages: Message[] = []
  eachMessage(bytes, (at, length) => {
    messages.push({
      type: bytes.readUInt16LE(at + 4),
      flags: bytes.readUInt16LE(at + 6),
      sequence: bytes.readUInt32LE(at + 8),
      port: bytes.readUInt32LE(at + 12),
      body: bytes.subarray(at + NLMSG_HDRLEN, at + length),
    })
  })
  return messages
}

/** Calls a function with the offset and length of each message of a datagram. */
export function eachMessage(bytes: Buffer, visit: (at: number, length: number) => void): void {
  for (let at = 0; at < bytes.length; ) {
    const rest = bytes.length - at
    const length = rest < NLMSG_HDRLEN ? rest : bytes.readUInt32LE(at)
    if (length < NLMSG_HDRLEN || at + length > bytes.length) throw invalidLength('message', length, at, bytes.length)
    visit(at, length)
    at += align(length)
  }
}

/**
 * Decodes the attributes after the fixed part of a message, in order. A type may occur several times. Removes the flags
 * for nesting and byte order from the types. Throws `NetnsError('PROTOCOL')` for an invalid length or a truncated fixed
 * part.
 *
 * @example
 * for (const [type, value] of decodeAttributes(message.body, 4)) if (type === NFTA_TABLE_NAME) names.push(readCString(value))
 */
export function decodeAttributes(body: Buffer, fixedLength = 0): [type: number, value: Buffer][] {
  const attributes: [number, Buffer][] = []
  eachAttribute(body, fixedLength, (type, value) => attributes.push([type, value]))
  return attributes
}

/** Decodes netlink attributes into a map by type. If a type occurs several times, the last attribute counts. */
export function attributeMap(body: Buffer, fixedLength = 0): ReadonlyMap<number, Buffer> {
  const attributes = new Map<number, Buffer>()
  eachAttribute(body, fixedLength, (type, value) => attributes.set(type, value))
  return attributes
}

/** Calls a function for each netlink attribute, without building a list. Throws as {@link decodeAttributes} does. */
export function eachAttribute(bytes: Buffer, fixedLength: number, visit: (type: number, value: Buffer) => void): void {
  if (bytes.length < fixedLength) throw invalidLength('fixed part', fixedLength, 0, bytes.length)
  for (let at = align(fixedLength); at + NLA_HDRLEN <= bytes.length; ) {
    const length = bytes.readUInt16LE(at)
    if (length < NLA_HDRLEN || at + length > bytes.length) throw invalidLength('attribute', length, at, bytes.length)
    visit(bytes.readUInt16LE(at + 2) & NLA_TYPE_MASK, bytes.subarray(at + NLA_HDRLEN, at + length))
    at += align(length)
  }
}

function invalidLength(what: string, length: number, at: number, total: number): NetnsError {
  return new NetnsError('PROTOCOL', `Invalid netlink ${what}: length ${length} at ${at} of ${total} bytes`)
}
