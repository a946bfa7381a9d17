import {
  be16,
  be32,
  be64,
  cString,
  decodeAttributes,
  encodeAttributes,
  readBe16,
  readBe32,
  readBe64,
  readCString,
} from '@cni/netns/netlink'
import { type Verdict, verdictBytes, verdictIn } from './verdict.ts'

/**
 * How the value of an attribute is written and read. What is read is written as the same bytes again; bytes of which
 * that is not true are `undefined`, as is a value that cannot be written.
 */
export interface Codec<T> {
  /** What may be written, in words. */
  readonly expected: string
  encode(value: T): Uint8Array | undefined
  decode(bytes: Buffer): T | undefined
}

const integer = (
  expected: string,
  length: number,
  write: (value: number) => Uint8Array,
  read: (bytes: Buffer) => number | undefined,
): Codec<number> => ({
  expected,
  encode: (value) => (Number.isInteger(value) && value >= 0 && value < 256 ** length ? write(value) : undefined),
  decode: (bytes) => (bytes.length === length ? read(bytes) : undefined),
})

export const n8 = integer(
  'an integer of 8 bits',
  1,
  (value) => Uint8Array.of(value),
  (bytes) => bytes[0],
)
export const n16 = integer('an integer of 16 bits', 2, be16, readBe16)
export const n32 = integer('an integer of 32 bits', 4, be32, readBe32)

export const n64: Codec<bigint> = {
  expected: 'a bigint of 64 bits',
  encode: (value) => (typeof value === 'bigint' && value === BigInt.asUintN(64, value) ? be64(value) : undefined),
  decode: (bytes) => (bytes.length === 8 ? readBe64(bytes) : undefined),
}

export const text: Codec<string> = {
  expected: 'a text without NUL',
  encode: (value) => (typeof value === 'string' && !value.includes('\0') ? cString(value) : undefined),
  decode(bytes) {
    const value = readCString(bytes)
    // A name of bytes that are no text could not be sent back.
    return value !== undefined && bytes.equals(cString(value)) ? value : undefined
  },
}

/** A signed one. */
export const i32: Codec<number> = {
  expected: 'a signed integer of 32 bits',
  encode: (value) => (value === (value | 0) ? be32(value) : undefined),
  decode: (bytes) => (bytes.length === 4 ? bytes.readInt32BE(0) : undefined),
}

const MOST_IN_NAME = 255

/** What tables, chains and sets are called. One of bytes that are no text is told with replacement characters. */
export const name: Codec<string> = {
  expected: `a name of 1 to ${MOST_IN_NAME} bytes without NUL`,
  encode(value) {
    const bytes = value === '' ? undefined : text.encode(value)
    return bytes !== undefined && bytes.length <= MOST_IN_NAME + 1 ? bytes : undefined
  },
  decode: readCString,
}

export const bytes: Codec<Uint8Array> = {
  expected: 'bytes',
  encode: (value) => (value instanceof Uint8Array ? value : undefined),
  decode: (value) => value,
}

/** Words that are each a bit, from 1 on. */
export function someOf<const W extends string>(words: readonly W[]): Codec<readonly W[]> {
  return {
    expected: `some of ${words.join(', ')}`,
    encode: (given) =>
      given.every((word) => words.includes(word))
        ? be32(given.reduce((sum, word) => sum | (1 << words.indexOf(word)), 0))
        : undefined,
    decode: (value) => words.filter((_, bit) => ((readBe32(value) ?? 0) & (1 << bit)) !== 0),
  }
}

/** The same, of which a rule consists. */
export const buffer: Codec<Buffer> = { ...bytes, decode: (value) => value }

/** A number for which there is a word, from 0 on; a hole is an empty word. */
export function oneOf<const W extends string>(words: readonly W[]): Codec<Exclude<W, ''>> {
  const isWord = (word: W | undefined): word is Exclude<W, ''> => word !== undefined && word !== ''
  return {
    expected: `one of ${words.filter(isWord).join(', ')}`,
    encode: (word) => (isWord(word) && words.includes(word) ? be32(words.indexOf(word)) : undefined),
    decode(value) {
      const word = value.length === 4 ? words[value.readUInt32BE(0)] : undefined
      return isWord(word) ? word : undefined
    },
  }
}

const NFTA_DATA_VALUE = 1

/** The content of a register, or of a key: bytes in an attribute of their own. */
export const value: Codec<Uint8Array> = {
  expected: 'bytes',
  encode: (content) => (content instanceof Uint8Array ? encodeAttributes([[NFTA_DATA_VALUE, content]]) : undefined),
  decode(nested) {
    const [only, ...more] = decodeAttributes(nested)
    return only?.[0] === NFTA_DATA_VALUE && more.length === 0 ? only[1] : undefined
  },
}

/** What an `immediate` loads, or a map's element is mapped to: bytes, or a verdict. */
export const data: Codec<Uint8Array | Verdict> = {
  expected: 'bytes, or a verdict',
  encode: (content) => (content instanceof Uint8Array ? value.encode(content) : verdictBytes(content)),
  decode: (nested) => value.decode(nested) ?? verdictIn(nested),
}
