import { formatAddress, networkAddress, parsePrefix } from '@cni/types/ip'
import type { AddrType, CtState, CtStatus, Protocol, SetType, TcpFlag } from './values.ts'

/** Value of a condition or set key, as a program passes it to the rule builder. */
export type Plain = string | number | { readonly prefix: string } | readonly string[]

/** Contiguous range of values of a data type, as bytes. The bytes sort like the values. */
export interface Span {
  readonly from: Uint8Array
  readonly to: Uint8Array
  /** Number of leading bits that all values of a network or name prefix share. */
  readonly bits?: number
}

/** Data type of nftables values: nft's type number, the length, and conversions between words and bytes. */
export interface DataType {
  readonly number: number
  /** Length of a value of the type, in bytes. */
  readonly length: number
  /** True if the kernel stores values of the type in host byte order, which is little-endian. */
  readonly host?: true
  /** True for a type of flags: a value is a combination of words, and each word is a bit. */
  readonly flags?: true
  /** True if values of the type can be compared by size. */
  readonly ordered?: true
  /** True if values of the type can be networks. */
  readonly networks?: true
  /** Description of the type's valid values, for error messages. */
  readonly expected: string
  /** Converts a value to bytes. Returns `undefined` for an invalid value. */
  write(value: unknown): Span | undefined
  /** Converts bytes to the canonical value. Returns `undefined` if the bytes are not a value of the data type. */
  read(span: Span): Plain | undefined
}

const number = (type: number, length: number, most: number, expected: string): DataType => ({
  number: type,
  length,
  ordered: true,
  expected,
  write(value) {
    if (typeof value !== 'number' || !Number.isInteger(value) || value < 0 || value > most) return undefined
    return point(bigEndian(value, length))
  },
  read: ({ from }) => integer(from),
})

const host = (type: number, most: number, expected: string): DataType => ({
  ...number(type, 4, most, expected),
  host: true,
})

const { ordered: _, ...unordered } = number(4, 1, 1, '0 or 1')
const boolean: DataType = unordered

/** Creates a data type whose values are words, such as `ipv4` and `ipv6`. */
const words = <W extends string>(type: number, length: number, named: readonly (readonly [W, number])[]): DataType => ({
  number: type,
  length,
  ...(length > 1 ? { host: true as const } : undefined),
  expected: `one of ${named.map(([word]) => word).join(', ')}`,
  write(value) {
    const found = named.find(([word]) => word === value)
    return found && point(bigEndian(found[1], length))
  },
  read: ({ from }) => named.find(([, value]) => value === integer(from))?.[0],
})

/** Creates a data type of flags: a value is a combination of words, one word for each bit. */
const bits = <W extends string>(type: number, named: readonly (readonly [W, number])[], length = 4): DataType => ({
  number: type,
  length,
  ...(length > 1 ? { host: true as const } : undefined),
  flags: true,
  expected: `a list of some of ${named.map(([word]) => word).join(', ')}`,
  write(value) {
    if (!Array.isArray(value) || value.length === 0) return undefined
    let sum = 0
    for (const word of value) {
      const found = named.find(([each]) => each === word)
      if (found === undefined) return undefined
      sum |= found[1]
    }
    return point(bigEndian(sum, length))
  },
  read({ from }) {
    const value = integer(from)
    const list = named.filter(([, bit]) => (value & bit) !== 0)
    const isWhole = list.length > 0 && list.reduce((sum, [, bit]) => sum | bit, 0) === value
    return isWhole ? Object.freeze(list.map(([word]) => word)) : undefined
  },
})

const address = (type: number, length: number, expected: string): DataType => ({
  number: type,
  length,
  ordered: true,
  networks: true,
  expected,
  write(value) {
    const prefix = typeof value === 'string' ? parsePrefix(value) : undefined
    if (prefix?.bytes.length !== length) return undefined
    const from = networkAddress(prefix)
    return prefix.length === 8 * length ? point(from) : { from, to: last(from, prefix.length), bits: prefix.length }
  },
  read: ({ from, bits: given }) => {
    const text = formatAddress(from)
    return given === undefined ? text : `${text}/${given}`
  },
})

const MAX_NAME_CHARS = 15

const name: DataType = {
  number: 41,
  length: 16,
  expected: `an interface name of 1 to ${MAX_NAME_CHARS} bytes, or { prefix } for all that begin so`,
  write(value) {
    const isPrefix = typeof value === 'object' && value !== null && 'prefix' in value
    const text = isPrefix ? value.prefix : value
    // Refuses impossible interface names. Allows `:` as in `eth0:1`, an old interface alias.
    if (typeof text !== 'string' || text === '' || /[\0-\x20\x7f/]/.test(text) || text === '.' || text === '..')
      return undefined
    const bytes = utf8.encode(text)
    if (bytes.length > MAX_NAME_CHARS) return undefined
    const from = new Uint8Array(16)
    from.set(bytes)
    return isPrefix ? { from, to: last(from, 8 * bytes.length), bits: 8 * bytes.length } : point(from)
  },
  read({ from, bits: given }) {
    const end = given === undefined ? from.indexOf(0) : given / 8
    const text = decoder.decode(from.subarray(0, end))
    return given === undefined ? text : Object.freeze({ prefix: text })
  },
}

const utf8 = new TextEncoder()
const decoder = new TextDecoder('utf-8', { ignoreBOM: true })

/** Transport protocols that have a word in nft, with their numbers. */
export const protocolWords: readonly (readonly [Exclude<Protocol, number>, number])[] = [
  ['icmp', 1],
  ['tcp', 6],
  ['udp', 17],
  ['esp', 50],
  ['ah', 51],
  ['ipv6-icmp', 58],
  ['comp', 108],
  ['dccp', 33],
  ['sctp', 132],
  ['udplite', 136],
]

const protocolNumber = number(12, 1, 255, '')
const protocol: DataType = {
  ...protocolNumber,
  expected: `a number of a protocol, or one of ${protocolWords.map(([word]) => word).join(', ')}`,
  write: (value) => protocolNumber.write(protocolWords.find(([word]) => word === value)?.[1] ?? value),
  read: ({ from }) => protocolWords.find(([, value]) => value === from[0])?.[0] ?? from[0],
}

const states: readonly (readonly [CtState, number])[] = [
  ['invalid', 1],
  ['established', 2],
  ['related', 4],
  ['new', 8],
  ['untracked', 64],
]
const statuses: readonly (readonly [CtStatus, number])[] = [
  ['expected', 1],
  ['seen-reply', 2],
  ['assured', 4],
  ['confirmed', 8],
  ['snat', 16],
  ['dnat', 32],
  ['dying', 512],
]
const tcpFlags: readonly (readonly [TcpFlag, number])[] = [
  ['fin', 1],
  ['syn', 2],
  ['rst', 4],
  ['psh', 8],
  ['ack', 16],
  ['urg', 32],
  ['ecn', 64],
  ['cwr', 128],
]
const addrTypes: readonly (readonly [AddrType, number])[] = [
  ['unspec', 0],
  ['unicast', 1],
  ['local', 2],
  ['broadcast', 3],
  ['anycast', 4],
  ['multicast', 5],
  ['blackhole', 6],
  ['unreachable', 7],
  ['prohibit', 8],
]

const ID = 'an id from 0 to 4294967294'

/** Data types of nftables values, by nft's type names. */
export const dataTypes = {
  nfproto: words(2, 1, [
    ['ipv4', 2],
    ['ipv6', 10],
  ]),
  boolean,
  ipv4_addr: address(7, 4, 'an IPv4 address or network, such as 10.0.0.0/8'),
  ipv6_addr: address(8, 16, 'an IPv6 address or network, such as fd00::/8'),
  inet_proto: protocol,
  inet_service: number(13, 2, 0xffff, 'a port from 0 to 65535'),
  icmp_type: number(14, 1, 255, 'a number from 0 to 255'),
  icmpv6_type: number(29, 1, 255, 'a number from 0 to 255'),
  mark: host(19, 0xffff_ffff, 'a mark from 0 to 0xffffffff'),
  // The largest user or group ID is 0xfffffffe: 0xffffffff is invalid in the kernel.
  uid: host(24, 0xffff_fffe, ID),
  gid: host(25, 0xffff_fffe, ID),
  tcp_flag: bits(15, tcpFlags, 1),
  ct_state: bits(26, states),
  ct_dir: words(27, 1, [
    ['original', 0],
    ['reply', 1],
  ]),
  ct_status: bits(28, statuses),
  pkttype: words(31, 1, [
    ['host', 0],
    ['broadcast', 1],
    ['multicast', 2],
    ['other', 3],
  ]),
  fib_addrtype: words(38, 4, addrTypes),
  ifname: name,
} as const satisfies Readonly<Record<string, DataType>> & Readonly<Record<SetType, DataType>>

/** Range of values that has only one value. */
export function point(bytes: Uint8Array): Span {
  return { from: bytes, to: bytes }
}

/** Converts a number to big-endian bytes. */
export function bigEndian(value: number, length: number): Uint8Array {
  const bytes = new Uint8Array(length)
  for (let at = length - 1, rest = value; at >= 0; at--, rest = Math.floor(rest / 256)) bytes[at] = rest % 256
  return bytes
}

/** Converts big-endian bytes to a number. */
export function integer(bytes: Uint8Array): number {
  return bytes.reduce((sum, byte) => sum * 256 + byte, 0)
}

/** Highest value that begins with the same `bits` bits as `from`. */
export function last(from: Uint8Array, bits: number): Uint8Array {
  return from.map((byte, at) => byte | (0xff >> Math.min(8, Math.max(0, bits - 8 * at))))
}
