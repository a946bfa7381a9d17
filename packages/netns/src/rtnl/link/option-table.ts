import { formatAddress } from '@cni/types/ip'
import { NetnsError } from '../../handle/netns-error.ts'
import type { Attribute } from '../../netlink/encode.ts'
import * as values from '../../netlink/values.ts'
import { checkInteger, describeValue } from '../check.ts'
import { constantName } from '../constant-name.ts'
import { parseAddress } from '../ip.ts'

/** Netlink attributes with the options of one link kind, by attribute type. */
type Attributes = ReadonlyMap<number, Buffer>

/** Encoder and decoder of one link option, such as the STP flag of a bridge. */
export interface OptionForm<Value> {
  /** Encodes an option's value. Errors name the option's path, such as `bridge.stp`. */
  encode(value: unknown, path: string): Attribute
  decode(data: Attributes): Value | undefined
}

/** Encoders and decoders of all options of one link kind, in the order of the kernel's attributes. */
export type OptionTable<Options> = { readonly [Name in keyof Options]-?: OptionForm<Options[Name]> }

/** Encodes the given options of a link. Throws `NetnsError('INVALID')`. */
export function encodeOptions<Options>(kind: string, table: OptionTable<Options>, options: Options): Attribute[] {
  const attributes: Attribute[] = []
  for (const name in table) {
    const value = options[name]
    if (value !== undefined) attributes.push(table[name].encode(value, `${kind}.${name}`))
  }
  return attributes
}

/** Decodes the options of a link. Omits options that the kernel did not send. */
export function decodeOptions<Options>(table: OptionTable<Options>, data: Attributes): Partial<Options> {
  const options: Partial<Options> = {}
  for (const name in table) {
    const value = table[name].decode(data)
    if (value !== undefined) options[name] = value
  }
  return options
}

/** Defines a link option whose value is a boolean, sent as one byte. */
export const flag = (type: number): OptionForm<boolean> => ({
  encode: (value, path) => [type, Uint8Array.of(bit(value, path))],
  decode: (data) => values.readFlag(data.get(type)),
})

/** Defines a link option whose value is a boolean, sent as 32 bits. */
export const flag32 = (type: number): OptionForm<boolean> => ({
  encode: (value, path) => [type, values.u32(bit(value, path))],
  decode: (data) => values.readFlag(data.get(type)),
})

/** Defines a link option whose value is a number, sent as one byte. */
export const u8 = (type: number): OptionForm<number> => ({
  encode: (value, path) => [type, Uint8Array.of(checkInteger(value, 0, 0xff, path))],
  decode: (data) => values.readU8(data.get(type)),
})

/** Defines a link option whose value is a number, sent as 16 bits. `most` is the largest valid value. */
export const u16 = (type: number, most = 0xffff): OptionForm<number> => ({
  encode: (value, path) => [type, values.u16(checkInteger(value, 0, most, path))],
  decode: (data) => values.readU16(data.get(type)),
})

/** Defines a link option whose value is a number, sent as 32 bits. `most` is the largest valid value. */
export const u32 = (type: number, most = 0xffffffff): OptionForm<number> => ({
  encode: (value, path) => [type, values.u32(checkInteger(value, 0, most, path))],
  decode: (data) => values.readU32(data.get(type)),
})

/** Defines a link option whose value is a UDP port, sent in network byte order. */
export const be16 = (type: number): OptionForm<number> => ({
  encode: (value, path) => [type, values.be16(checkInteger(value, 0, 0xffff, path))],
  decode: (data) => values.readBe16(data.get(type)),
})

/** Defines a link option whose value is a number of seconds. The kernel counts hundredths of a second. */
export const seconds = (type: number): OptionForm<number> => ({
  encode(value, path) {
    const isTime = typeof value === 'number' && value >= 0 && value <= 40_000_000
    if (!isTime) throw refused(path, 'seconds', value)
    return [type, values.u32(Math.round(value * 100))]
  },
  decode(data) {
    const hundredths = values.readU32(data.get(type))
    return hundredths === undefined ? undefined : hundredths / 100
  },
})

/** Defines a link option whose value is an IP address; all zeros mean no address. */
export const address = (type4: number, type6: number): OptionForm<string> => ({
  encode(value, path) {
    const { family, bytes } = parseOrRefuse(value, path)
    return [family === 'ipv4' ? type4 : type6, Uint8Array.from(bytes)]
  },
  decode(data) {
    const bytes = data.get(type4) ?? data.get(type6)
    const isSome = (bytes?.length === 4 || bytes?.length === 16) && bytes.some((byte) => byte !== 0)
    return isSome ? formatAddress(bytes) : undefined
  },
})

/** Defines a link option whose value is one of several words, such as a mode. */
export const choice = <Word extends string>(
  numbers: Readonly<Record<Word, number>>,
  number: OptionForm<number>,
): OptionForm<Word> => ({
  encode(value, path) {
    for (const word in numbers) if (word === value) return number.encode(numbers[word], path)
    throw refused(path, `one of ${Object.keys(numbers).join(', ')}`, value)
  },
  decode: (data) => constantName(numbers, number.decode(data)),
})

function bit(value: unknown, path: string): number {
  if (typeof value !== 'boolean') throw refused(path, 'true or false', value)
  return Number(value)
}

function parseOrRefuse(value: unknown, path: string) {
  try {
    if (typeof value === 'string') return parseAddress(value)
  } catch {
    // Ignores the parser's error: the error thrown below also names the option's path.
  }
  throw refused(path, 'an IP address', value)
}

function refused(path: string, expected: string, value: unknown): NetnsError {
  return new NetnsError('INVALID', `${path}: expected ${expected}, got ${describeValue(value)}`)
}
