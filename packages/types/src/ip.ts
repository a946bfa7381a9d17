import { CniError, ErrorCode } from './errors.ts'

/** A parsed IP address. */
export interface Ip {
  readonly family: 4 | 6
  /** Canonical text: IPv6 in lower case and compressed, an IPv4-mapped address as IPv4. */
  readonly address: string
}

/** A parsed address with the length of its network's prefix; the host part is kept. */
export interface Cidr extends Ip {
  readonly prefix: number
  /** Canonical `address/prefix`. */
  readonly text: string
}

/**
 * Parses an IP address as Go does: no leading zeros, no zone.
 *
 * @throws {@link CniError} with code 6 and the text `invalid IP address: X`.
 * @example
 * ```ts
 * parseIp('2001:DB8:0:0::1') // { family: 6, address: '2001:db8::1' }
 * ```
 */
export function parseIp(text: string): Ip {
  const groups = readAddress(text)
  if (groups === undefined) throw new CniError(ErrorCode.decodingFailure, `invalid IP address: ${text}`)
  return describe(groups)
}

/**
 * Parses `address/prefix` as Go does, and keeps the host part. A mapped address becomes IPv4, its prefix 96 shorter;
 * a mapped one with a prefix under 96 would become `/0` in Go and is refused here.
 *
 * @throws {@link CniError} with code 6 and the text `invalid CIDR address: X`.
 * @example
 * ```ts
 * parseCidr('10.0.0.5/24') // { family: 4, address: '10.0.0.5', prefix: 24, text: '10.0.0.5/24' }
 * ```
 */
export function parseCidr(text: string): Cidr {
  const slash = text.indexOf('/')
  const groups = slash < 0 ? undefined : readAddress(text.slice(0, slash))
  const digits = text.slice(slash + 1)
  if (groups === undefined || !/^\d{1,9}$/.test(digits)) throw invalidCidr(text)
  const { family, address } = describe(groups)
  const written = Number(digits)
  const prefix = family === 4 && text.includes(':') ? written - 96 : written
  if (prefix < 0 || prefix > (family === 4 ? 32 : 128)) throw invalidCidr(text)
  return { family, address, prefix, text: `${address}/${prefix}` }
}

/** The eight 16-bit groups of an address, IPv4 as IPv4-mapped. */
function readAddress(text: string): readonly number[] | undefined {
  return text.includes(':') ? readIpv6(text) : mapped(readIpv4(text))
}

function readIpv4(text: string): readonly number[] | undefined {
  const octets = text.split('.')
  if (octets.length !== 4) return undefined
  // A leading zero meant octal to some parsers and decimal to others: refused, as in Go since 1.17.
  return octets.every((octet) => /^(0|[1-9]\d{0,2})$/.test(octet) && Number(octet) < 256)
    ? octets.map(Number)
    : undefined
}

function mapped(octets: readonly number[] | undefined): readonly number[] | undefined {
  return octets && [0, 0, 0, 0, 0, 0xffff, ...pairs(octets)]
}

function readIpv6(text: string): readonly number[] | undefined {
  const halves = text.split('::')
  if (halves.length > 2) return undefined
  const [head = '', tail] = halves
  const left = readGroups(head, tail === undefined)
  const right = readGroups(tail ?? '', true)
  if (left === undefined || right === undefined) return undefined
  const missing = 8 - left.length - right.length
  // "::" stands for at least one group; without it there must be all eight.
  if (tail === undefined ? missing !== 0 : missing < 1) return undefined
  return [...left, ...Array.from({ length: missing }, () => 0), ...right]
}

/** Colon-separated groups; the end of the address may be written as IPv4. */
function readGroups(text: string, isEnd: boolean): readonly number[] | undefined {
  if (text === '') return []
  const parts = text.split(':')
  const last = parts.at(-1) ?? ''
  const embedded = isEnd && last.includes('.') ? readIpv4(last) : []
  if (embedded === undefined) return undefined
  const hex = embedded.length > 0 ? parts.slice(0, -1) : parts
  if (!hex.every((part) => /^[\da-f]{1,4}$/i.test(part))) return undefined
  return [...hex.map((part) => Number.parseInt(part, 16)), ...pairs(embedded)]
}

function pairs(octets: readonly number[]): readonly number[] {
  const [a = 0, b = 0, c = 0, d = 0] = octets
  return octets.length === 0 ? [] : [a * 256 + b, c * 256 + d]
}

function describe(groups: readonly number[]): Ip {
  const [high = 0, low = 0] = groups.slice(6)
  if (groups[5] === 0xffff && groups.slice(0, 5).every((group) => group === 0)) {
    return { family: 4, address: [high >> 8, high & 255, low >> 8, low & 255].join('.') }
  }
  return { family: 6, address: compress(groups) }
}

/** RFC 5952: the longest run of two or more zero groups, the first of equals, becomes "::". */
function compress(groups: readonly number[]): string {
  let start = 0
  let length = 0
  for (let from = 0; from < groups.length; from += 1) {
    let to = from
    while (groups[to] === 0) to += 1
    if (to - from > length) [start, length] = [from, to - from]
  }
  const hex = groups.map((group) => group.toString(16))
  if (length < 2) return hex.join(':')
  return `${hex.slice(0, start).join(':')}::${hex.slice(start + length).join(':')}`
}

function invalidCidr(text: string): CniError {
  return new CniError(ErrorCode.decodingFailure, `invalid CIDR address: ${text}`)
}
