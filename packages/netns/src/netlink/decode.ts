import { NetnsError } from '../handle/netns-error.ts'
import { align } from './align.ts'
import { NLA_HDRLEN, NLA_TYPE_MASK, NLMSG_HDRLEN } from './constants.ts'

/** A message as received. */
export interface Message {
  readonly type: number
  readonly flags: number
  /** That of the request it answers; of an event, that of the change that caused it. */
  readonly sequence: number
  /** The port of the socket that asked; of an event, that of the socket whose change it tells. */
  readonly port: number
  /** What follows the header: the family's fixed part, then attributes. */
  readonly body: Buffer
}

/**
 * The messages of one datagram, as views of its bytes. Throws `NetnsError('PROTOCOL')` when a length lies; whatever the
 * bytes, it ends.
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

/** Where each message of a datagram begins, and how long it is. Throws as {@link decodeMessages} does. */
export function eachMessage(bytes: Buffer, visit: (at: number, length: number) => void): void {
  for (let at = 0; at < bytes.length; ) {
    const rest = bytes.length - at
    const length = rest < NLMSG_HDRLEN ? rest : bytes.readUInt32LE(at)
    if (length < NLMSG_HDRLEN || at + length > bytes.length) throw lie('message', length, at, bytes.length)
    visit(at, length)
    at += align(length)
  }
}

/**
 * The attributes behind a fixed part, in their order: a list has the same type again and again. Their types are without
 * the flags for nesting and byte order. Throws `NetnsError('PROTOCOL')` when a length lies or the fixed part is not
 * there; whatever the bytes, it ends.
 *
 * @example
 * for (const [type, value] of decodeAttributes(message.body, 4)) if (type === NFTA_TABLE_NAME) names.push(readCString(value))
 */
export function decodeAttributes(body: Buffer, fixedLength = 0): [type: number, value: Buffer][] {
  const attributes: [number, Buffer][] = []
  eachAttribute(body, fixedLength, (type, value) => attributes.push([type, value]))
  return attributes
}

/** The same by type; of repeated ones the last. */
export function attributeMap(body: Buffer, fixedLength = 0): ReadonlyMap<number, Buffer> {
  const attributes = new Map<number, Buffer>()
  eachAttribute(body, fixedLength, (type, value) => attributes.set(type, value))
  return attributes
}

/** Goes through the same attributes without a list of them. Throws as {@link decodeAttributes} does. */
export function eachAttribute(bytes: Buffer, fixedLength: number, visit: (type: number, value: Buffer) => void): void {
  if (bytes.length < fixedLength) throw lie('fixed part', fixedLength, 0, bytes.length)
  for (let at = align(fixedLength); at + NLA_HDRLEN <= bytes.length; ) {
    const length = bytes.readUInt16LE(at)
    if (length < NLA_HDRLEN || at + length > bytes.length) throw lie('attribute', length, at, bytes.length)
    visit(bytes.readUInt16LE(at + 2) & NLA_TYPE_MASK, bytes.subarray(at + NLA_HDRLEN, at + length))
    at += align(length)
  }
}

function lie(what: string, length: number, at: number, total: number): NetnsError {
  return new NetnsError('PROTOCOL', `Bad netlink ${what}: length ${length} at ${at} of ${total} bytes`)
}
