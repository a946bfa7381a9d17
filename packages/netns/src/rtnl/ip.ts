import { NetnsError } from '../handle/netns-error.ts'
import { AF_INET, AF_INET6 } from './constants.ts'

/** An address family, as it is called everywhere in these packages. */
export type IpFamily = 'ipv4' | 'ipv6'

/** An address with its prefix length, as bytes. */
export interface Prefix {
  readonly family: IpFamily
  readonly bytes: Uint8Array
  readonly length: number
}

/** The kernel's number of a family. */
export function familyNumber(family: IpFamily): number {
  return family === 'ipv4' ? AF_INET : AF_INET6
}

/** The family of a kernel number; `undefined` for others (MPLS, bridges). */
export function familyName(number: number): IpFamily | undefined {
  if (number === AF_INET) return 'ipv4'
  return number === AF_INET6 ? 'ipv6' : undefined
}

/** Reads `10.0.0.1/24`, or a bare address as a full-length prefix. Throws `NetnsError('INVALID')`. */
export function parsePrefix(text: string): Prefix {
  const [address = '', length, ...rest] = text.split('/')
  const bytes = parseIp(address)
  const bits = bytes === undefined ? 0 : bytes.length * 8
  const prefix = length === undefined ? bits : /^(0|[1-9]\d{0,2})$/.test(length) ? Number(length) : -1
  if (bytes === undefined || prefix < 0 || prefix > bits || rest.length > 0) {
    throw new NetnsError('INVALID', `Not an address or prefix: ${JSON.stringify(text)}; expected one like 10.0.0.1/24`)
  }
  return { family: bits === 32 ? 'ipv4' : 'ipv6', bytes, length: prefix }
}

/** Reads an address without a prefix. Throws `NetnsError('INVALID')`. */
export function parseAddress(text: string): Prefix {
  const bytes = parseIp(text)
  if (bytes === undefined) throw new NetnsError('INVALID', `Not an IP address: ${JSON.stringify(text)}`)
  return { family: bytes.length === 4 ? 'ipv4' : 'ipv6', bytes, length: bytes.length * 8 }
}

/** Bytes of an address, or `undefined`. No zones, no octal, no short forms. */
export function parseIp(text: string): Uint8Array | undefined {
  return text.includes(':') ? parseIpv6(text) : parseIpv4(text)
}

/** The usual text of an address: dotted, or RFC 5952. */
export function formatIp(bytes: Uint8Array): string {
  if (bytes.length === 4) return bytes.join('.')
  const groups = Array.from({ length: 8 }, (_, i) => ((bytes[2 * i] ?? 0) << 8) | (bytes[2 * i + 1] ?? 0))
  // An IPv4-mapped address is written with its dots.
  if (groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff) {
    return `::ffff:${bytes.subarray(12).join('.')}`
  }
  const { start, length } = longestZeroRun(groups)
  const hex = groups.map((group) => group.toString(16))
  if (length < 2) return hex.join(':')
  return `${hex.slice(0, start).join(':')}::${hex.slice(start + length).join(':')}`
}

/** The usual text of a prefix, the bits behind it cleared. */
export function formatPrefix(prefix: Prefix): string {
  return `${formatIp(networkBytes(prefix))}/${prefix.length}`
}

/** The address with the bits behind its prefix cleared. */
export function networkBytes({ bytes, length }: Prefix): Uint8Array {
  return bytes.map((byte, index) => {
    const keep = Math.min(8, Math.max(0, length - index * 8))
    return byte & (0xff << (8 - keep)) & 0xff
  })
}

function parseIpv4(text: string): Uint8Array | undefined {
  const parts = text.split('.')
  if (parts.length !== 4) return undefined
  const bytes = parts.map((part) => (/^(0|[1-9]\d{0,2})$/.test(part) ? Number(part) : 256))
  return bytes.some((byte) => byte > 255) ? undefined : Uint8Array.from(bytes)
}

function parseIpv6(text: string): Uint8Array | undefined {
  const halves = text.split('::')
  if (halves.length > 2) return undefined
  const head = parseGroups(halves[0] ?? '', halves.length === 1)
  const tail = halves.length === 2 ? parseGroups(halves[1] ?? '', true) : []
  if (head === undefined || tail === undefined) return undefined
  const zeros = 16 - head.length - tail.length
  if (halves.length === 2 ? zeros < 2 : zeros !== 0) return undefined
  return Uint8Array.from([...head, ...Array<number>(zeros).fill(0), ...tail])
}

// Bytes of `a:b:c`; only the very last group may be dotted.
function parseGroups(text: string, last: boolean): number[] | undefined {
  if (text === '') return []
  const bytes: number[] = []
  const groups = text.split(':')
  for (const [index, group] of groups.entries()) {
    const dotted = last && index === groups.length - 1 && group.includes('.') ? parseIpv4(group) : undefined
    if (dotted !== undefined) bytes.push(...dotted)
    else if (/^[\da-f]{1,4}$/i.test(group))
      bytes.push(Number.parseInt(group, 16) >> 8, Number.parseInt(group, 16) & 0xff)
    else return undefined
  }
  return bytes
}

function longestZeroRun(groups: readonly number[]): { start: number; length: number } {
  let best = { start: 0, length: 0 }
  for (let start = 0; start < groups.length; start++) {
    let length = 0
    while (groups[start + length] === 0) length++
    if (length > best.length) best = { start, length }
  }
  return best
}
