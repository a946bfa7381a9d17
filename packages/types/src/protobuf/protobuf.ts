/** Error for bytes that are not a valid protobuf message. */
export class ProtobufError extends Error {
  static {
    ProtobufError.prototype.name = 'ProtobufError'
  }
}

/** A decoded protobuf field: a number or bytes. The value is `undefined` for 32-bit and 64-bit fields. */
export interface Field {
  readonly number: number
  readonly value: bigint | Uint8Array | undefined
}

/** Encodes a length-delimited protobuf field. A field with no bytes is encoded too. */
export function lengthDelimited(number: number, value: Uint8Array): Uint8Array {
  return Buffer.concat([varint((number << 3) | LENGTH), varint(value.length), value])
}

/** Encodes a protobuf string field. An empty string yields no bytes. */
export const textField = (number: number, text: string): Uint8Array =>
  text === '' ? NOTHING : lengthDelimited(number, Buffer.from(text))

/** Encodes a protobuf number field. The number 0 yields no bytes. */
export const numberField = (number: number, value: number): Uint8Array =>
  value === 0 ? NOTHING : Buffer.concat([varint((number << 3) | VARINT), varint(value)])

/** Decodes the fields of a protobuf message in order. Throws {@link ProtobufError} at the first invalid field. */
export function* fieldsOf(bytes: Uint8Array): Generator<Field, void, void> {
  for (let at = 0; at < bytes.length; ) {
    const tag = readVarint(bytes, at)
    const number = Number(tag.value >> 3n)
    if (number === 0 || number > MAX_FIELD) throw new ProtobufError(`no field has the number ${number}`)
    const kind = Number(tag.value & 7n)
    if (kind === VARINT) {
      const { value, end } = readVarint(bytes, tag.end)
      yield { number, value }
      at = end
      continue
    }
    const { start, end } = extent(bytes, tag.end, kind)
    if (end > bytes.length) throw new ProtobufError(`field ${number} ends after the message`)
    yield { number, value: kind === LENGTH ? bytes.subarray(start, end) : undefined }
    at = end
  }
}

/** Text of a protobuf string field. Throws {@link ProtobufError} if the field is not a string. */
export function textOf({ number, value }: Field): string {
  if (!(value instanceof Uint8Array)) throw new ProtobufError(`field ${number} is not a string`)
  try {
    return utf8.decode(value)
  } catch (cause) {
    throw new ProtobufError(`field ${number} is not valid UTF-8`, { cause })
  }
}

/**
 * Bytes of a protobuf field that contains a message. Throws {@link ProtobufError} if the field is not length-delimited.
 */
export function messageIn({ number, value }: Field): Uint8Array {
  if (value instanceof Uint8Array) return value
  throw new ProtobufError(`field ${number} is not a message`)
}

// internal

const VARINT = 0
const FIXED64 = 1
const LENGTH = 2
const FIXED32 = 5
const MAX_FIELD = 2 ** 29 - 1
const MAX_VARINT_BYTES = 10
const NOTHING = new Uint8Array()
// UTF-8 decoder that keeps a byte order mark, because protobuf treats it as an ordinary character.
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

function extent(bytes: Uint8Array, at: number, kind: number): { start: number; end: number } {
  if (kind === FIXED64) return { start: at, end: at + 8 }
  if (kind === FIXED32) return { start: at, end: at + 4 }
  if (kind !== LENGTH) throw new ProtobufError(`nothing has the kind ${kind}`)
  const length = readVarint(bytes, at)
  // Does not check the field's length. The caller rejects a field that ends beyond the message.
  return { start: length.end, end: length.end + Number(length.value) }
}

function readVarint(bytes: Uint8Array, at: number): { value: bigint; end: number } {
  let value = 0n
  for (let index = 0; index < MAX_VARINT_BYTES; index++) {
    const byte = bytes[at + index]
    if (byte === undefined) throw new ProtobufError('the message ends in a number')
    value |= BigInt(byte & 0x7f) << BigInt(7 * index)
    if (byte < 0x80) return { value: BigInt.asUintN(64, value), end: at + index + 1 }
  }
  throw new ProtobufError(`a number has more than ${MAX_VARINT_BYTES} bytes`)
}

function varint(value: number): Uint8Array {
  const bytes: number[] = []
  let rest = value
  for (; rest >= 0x80; rest = Math.floor(rest / 128)) bytes.push((rest & 0x7f) | 0x80)
  return Uint8Array.from([...bytes, rest])
}
