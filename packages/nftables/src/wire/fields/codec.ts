import { cString, decodeAttributes, readBe16, readBe32, readBe64, readCString } from '@cni/netns/netlink'
import { type Verdict, verdictIn, writeVerdict } from './verdict.ts'
import type { AttributeWriter } from './writer.ts'

/** Lossless codec of a netlink attribute. `decode` returns `undefined` for an invalid value. */
export interface Codec<T> {
  /** Description of the attribute's valid values, for error messages. */
  readonly expected: string
  /** Writes an attribute. Returns false for an invalid value, and may leave incomplete bytes. */
  write(writer: AttributeWriter, type: number, value: T): boolean
  decode(bytes: Buffer): T | undefined
}

const integer = (
  bits: number,
  write: (writer: AttributeWriter, type: number, value: number) => void,
  read: (bytes: Buffer) => number | undefined,
): Codec<number> => {
  const end = 2 ** bits
  return {
    expected: `an integer of ${bits} bits`,
    write(writer, type, value) {
      const fits = Number.isInteger(value) && value >= 0 && value < end
      if (fits) write(writer, type, value)
      return fits
    },
    decode: (bytes) => (bytes.length === bits / 8 ? read(bytes) : undefined),
  }
}

export const n8 = integer(
  8,
  (writer, type, value) => writer.u8(type, value),
  (bytes) => bytes[0],
)
export const n16 = integer(16, (writer, type, value) => writer.u16(type, value), readBe16)
export const n32 = integer(32, (writer, type, value) => writer.u32(type, value), readBe32)

export const n64: Codec<bigint> = {
  expected: 'a bigint of 64 bits',
  write(writer, type, value) {
    const fits = typeof value === 'bigint' && value === BigInt.asUintN(64, value)
    if (fits) writer.u64(type, value)
    return fits
  },
  decode: (bytes) => (bytes.length === 8 ? readBe64(bytes) : undefined),
}

export const text: Codec<string> = {
  expected: 'a text without NUL',
  write(writer, type, value) {
    const fits = typeof value === 'string' && !value.includes('\0')
    if (fits) writer.text(type, value)
    return fits
  },
  decode(bytes) {
    const value = readCString(bytes)
    // Rejects text that is not valid UTF-8, because it would encode to other bytes.
    return value !== undefined && bytes.equals(cString(value)) ? value : undefined
  },
}

/** Encoding of a signed integer of 32 bits. */
export const i32: Codec<number> = {
  expected: 'a signed integer of 32 bits',
  write(writer, type, value) {
    const fits = value === (value | 0)
    if (fits) writer.u32(type, value)
    return fits
  },
  decode: (bytes) => (bytes.length === 4 ? bytes.readInt32BE(0) : undefined),
}

const MAX_NAME_BYTES = 255
/** Length of a name in UTF-16 units that always fits into 255 bytes. */
const SHORT = MAX_NAME_BYTES / 3

/** Encoding of the name of a table, a chain or a set. Invalid UTF-8 is read as replacement characters. */
export const name: Codec<string> = {
  expected: `a name of 1 to ${MAX_NAME_BYTES} bytes without NUL`,
  write: (writer, type, value) =>
    value !== '' &&
    text.write(writer, type, value) &&
    (value.length <= SHORT || Buffer.byteLength(value) <= MAX_NAME_BYTES),
  decode: readCString,
}

export const bytes: Codec<Uint8Array> = {
  expected: 'bytes',
  write(writer, type, value) {
    const fits = value instanceof Uint8Array
    if (fits) writer.bytes(type, value)
    return fits
  },
  decode: (value) => value,
}

/** Encoding of bytes that are decoded as a `Buffer`, such as the expressions of a rule. */
export const buffer: Codec<Buffer> = { ...bytes, decode: (value) => value }

/** Encoding of a list of words as a number, with one bit for each word. */
export function someOf<const W extends string>(words: readonly W[]): Codec<readonly W[]> {
  return {
    expected: `some of ${words.join(', ')}`,
    write(writer, type, given) {
      writer.u32(
        type,
        given.reduce((sum, word) => sum | (1 << words.indexOf(word)), 0),
      )
      return given.every((word) => words.includes(word))
    },
    decode: (value) => words.filter((_, bit) => ((readBe32(value) ?? 0) & (1 << bit)) !== 0),
  }
}

/** Encoding of a word as its index in `words`. An unused index holds an empty text. */
export function oneOf<const W extends string>(words: readonly W[]): Codec<Exclude<W, ''>> {
  const isWord = (word: W | undefined): word is Exclude<W, ''> => word !== undefined && word !== ''
  return {
    // The description of valid values is built by a getter, because most processes never need it.
    get expected() {
      return `one of ${words.filter(isWord).join(', ')}`
    },
    write(writer, type, word) {
      const number = word === '' ? -1 : words.indexOf(word)
      if (number >= 0) writer.u32(type, number)
      return number >= 0
    },
    decode(value) {
      const word = value.length === 4 ? words[value.readUInt32BE(0)] : undefined
      return isWord(word) ? word : undefined
    },
  }
}

const NFTA_DATA_VALUE = 1

/** Encoding of the content of a register or of a set key: bytes in a nested attribute. */
export const value: Codec<Uint8Array> = {
  expected: 'bytes',
  write(writer, type, content) {
    if (!(content instanceof Uint8Array)) return false
    const at = writer.open(type)
    writer.bytes(NFTA_DATA_VALUE, content)
    writer.close(at)
    return true
  },
  decode(nested) {
    const [only, ...more] = decodeAttributes(nested)
    return only?.[0] === NFTA_DATA_VALUE && more.length === 0 ? only[1] : undefined
  },
}

/** Encoding of the data of an `immediate` expression or of a map's element: bytes, or a verdict. */
export const data: Codec<Uint8Array | Verdict> = {
  expected: 'bytes, or a verdict',
  write(writer, type, content) {
    if (content instanceof Uint8Array) return value.write(writer, type, content)
    const at = writer.open(type)
    const fits = writeVerdict(writer, content)
    writer.close(at)
    return fits
  },
  decode: (nested) => value.decode(nested) ?? verdictIn(nested),
}
