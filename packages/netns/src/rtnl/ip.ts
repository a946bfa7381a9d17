import { formatAddress, type IpFamily, networkAddress, parsePrefix as parseBytes } from '@cni/types/ip'
import { NetnsError } from '../handle/netns-error.ts'
import { AF_INET, AF_INET6 } from './constants.ts'

/** An address with its prefix length, as bytes. */
export interface Prefix extends NonNullable<ReturnType<typeof parseBytes>> {
  readonly family: IpFamily
}

/** The kernel's number of a family. */
export function familyNumber(family: IpFamily): number {
  return family === 'ipv4' ? AF_INET : AF_INET6
}

/** The fixed part of a dump request: its length, and the family to list; all of them without one. */
export function familyQuery(length: number, family: IpFamily | undefined): Uint8Array {
  const bytes = Buffer.alloc(length)
  bytes[0] = family === undefined ? 0 : familyNumber(family)
  return bytes
}

/** The family of a kernel number; `undefined` for others (MPLS, bridges). */
export function familyName(number: number): IpFamily | undefined {
  if (number === AF_INET) return 'ipv4'
  return number === AF_INET6 ? 'ipv6' : undefined
}

/** Reads `10.0.0.1/24`, or a bare address as a full-length prefix. Throws `NetnsError('INVALID')`. */
export function parsePrefix(text: string): Prefix {
  const prefix = parseBytes(text)
  if (prefix === undefined) {
    throw new NetnsError('INVALID', `Not an address or prefix: ${JSON.stringify(text)}; expected one like 10.0.0.1/24`)
  }
  return { family: prefix.bytes.length === 4 ? 'ipv4' : 'ipv6', ...prefix }
}

/** Reads an address without a prefix. Throws `NetnsError('INVALID')`. */
export function parseAddress(text: string): Prefix {
  const prefix = text.includes('/') ? undefined : parseBytes(text)
  if (prefix === undefined) throw new NetnsError('INVALID', `Not an IP address: ${JSON.stringify(text)}`)
  return { family: prefix.bytes.length === 4 ? 'ipv4' : 'ipv6', ...prefix }
}

/** The usual text of a prefix, the bits behind it cleared. */
export function formatPrefix(prefix: Prefix): string {
  return `${formatAddress(networkAddress(prefix))}/${prefix.length}`
}
