import { formatAddress, type IpFamily, networkAddress, parsePrefix as parseBytes } from '@cni/types/ip'
import { NetnsError } from '../handle/netns-error.ts'
import { AF_INET, AF_INET6 } from './constants.ts'

/** IP address with its prefix length, as bytes. */
export interface Prefix extends NonNullable<ReturnType<typeof parseBytes>> {
  readonly family: IpFamily
}

/** Returns the kernel number of an IP address family (AF_INET, AF_INET6). */
export function familyNumber(family: IpFamily): number {
  return family === 'ipv4' ? AF_INET : AF_INET6
}

/** Encodes the fixed part of a request for one address family. `undefined` means all families. */
export function familyQuery(length: number, family: IpFamily | undefined): Uint8Array {
  const bytes = Buffer.alloc(length)
  bytes[0] = family === undefined ? 0 : familyNumber(family)
  return bytes
}

/** Returns the name of an address family, or `undefined` for families other than IP. */
export function familyName(number: number): IpFamily | undefined {
  if (number === AF_INET) return 'ipv4'
  return number === AF_INET6 ? 'ipv6' : undefined
}

/**
 * Parses an IP prefix such as `10.0.0.1/24`. An address without a prefix length gets the full length. Throws
 * `NetnsError('INVALID')`.
 */
export function parsePrefix(text: string): Prefix {
  const prefix = parseBytes(text)
  if (prefix === undefined) {
    throw new NetnsError('INVALID', `Not an address or prefix: ${JSON.stringify(text)}; expected one like 10.0.0.1/24`)
  }
  return { family: prefix.bytes.length === 4 ? 'ipv4' : 'ipv6', ...prefix }
}

/** Parses an IP address without a prefix length. Throws `NetnsError('INVALID')`. */
export function parseAddress(text: string): Prefix {
  const prefix = text.includes('/') ? undefined : parseBytes(text)
  if (prefix === undefined) throw new NetnsError('INVALID', `Not an IP address: ${JSON.stringify(text)}`)
  return { family: prefix.bytes.length === 4 ? 'ipv4' : 'ipv6', ...prefix }
}

/** Formats an IP prefix with its host bits cleared. */
export function formatPrefix(prefix: Prefix): string {
  return `${formatAddress(networkAddress(prefix))}/${prefix.length}`
}
