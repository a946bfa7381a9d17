import { CniError, ErrorCode } from './errors.ts'
import { formatAddress, unmapAddress } from './ip/format-address.ts'
import { parseAddress } from './ip/parse-address.ts'

/**
 * Parses an IP address as Go does: no leading zeros, no zone. The returned `address` is in canonical form. An
 * IPv4-mapped address becomes IPv4.
 *
 * @throws {@link CniError} with code 6 and the message `invalid IP address: X`.
 * @example
 * ```ts
 * parseIp('2001:DB8:0:0::1') // { family: 6, address: '2001:db8::1' }
 * ```
 */
export function parseIp(text: string): { readonly family: 4 | 6; readonly address: string } {
  const bytes = parseAddress(text)
  if (bytes === undefined) throw new CniError(ErrorCode.decodingFailure, `invalid IP address: ${text}`)
  return describe(bytes)
}

/**
 * Parses `address/prefix` as Go does, and keeps the host bits. An IPv4-mapped address becomes IPv4, and its prefix
 * length shrinks by 96. Rejects an IPv4-mapped address with a prefix length under 96.
 *
 * @throws {@link CniError} with code 6 and the message `invalid CIDR address: X`.
 * @example
 * ```ts
 * parseCidr('10.0.0.5/24') // { family: 4, address: '10.0.0.5', prefix: 24, text: '10.0.0.5/24' }
 * ```
 */
export function parseCidr(text: string): {
  readonly family: 4 | 6
  readonly address: string
  readonly prefix: number
  /** The parsed text in canonical form: `address/prefix`. */
  readonly text: string
} {
  const slash = text.indexOf('/')
  const bytes = slash < 0 ? undefined : parseAddress(text.slice(0, slash))
  const digits = text.slice(slash + 1)
  if (bytes === undefined || !/^\d{1,9}$/.test(digits)) throw invalidCidr(text)
  const { family, address } = describe(bytes)
  const written = Number(digits)
  const prefix = family === 4 && text.includes(':') ? written - 96 : written
  if (prefix < 0 || prefix > (family === 4 ? 32 : 128)) throw invalidCidr(text)
  return { family, address, prefix, text: `${address}/${prefix}` }
}

/** Converts an IPv4-mapped IPv6 address to IPv4, because Go treats both as the same address. */
function describe(bytes: Uint8Array): ReturnType<typeof parseIp> {
  const ip = unmapAddress(bytes)
  return { family: ip.length === 4 ? 4 : 6, address: formatAddress(ip) }
}

function invalidCidr(text: string): CniError {
  return new CniError(ErrorCode.decodingFailure, `invalid CIDR address: ${text}`)
}
