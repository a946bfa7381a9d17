import { formatAddress, parsePrefix as parseBytes, unmapAddress } from '@cni/types/ip'

/** IP prefix with its address in canonical form. Address bits outside the mask are kept, as in Istio. */
export interface Prefix {
  readonly family: 'ipv4' | 'ipv6'
  readonly cidr: string
  readonly bits: number
  readonly address: Uint8Array
}

/**
 * Parses an IP prefix `address/bits` strictly: no blanks, zones or leading zeros. Returns `undefined` for invalid text.
 */
export function parsePrefix(text: string): Prefix | undefined {
  const prefix = text.includes('/') ? parseBytes(text) : undefined
  if (prefix === undefined) return undefined
  const { bytes: address, length: bits } = prefix
  const family = address.length === 4 ? 'ipv4' : 'ipv6'
  return { family, cidr: `${formatAddress(address)}/${bits}`, bits, address }
}

/** True for loopback addresses: 127.0.0.0/8 and ::1. An IPv4-mapped IPv6 address counts as an IPv4 address. */
export function isLoopback(address: Uint8Array): boolean {
  const ip = unmapAddress(address)
  return ip.length === 4 ? ip[0] === 127 : ip.every((byte, i) => byte === (i === 15 ? 1 : 0))
}

/** True for link-local unicast addresses: 169.254.0.0/16 and fe80::/10. */
export function isLinkLocalUnicast(address: Uint8Array): boolean {
  const ip = unmapAddress(address)
  const [first = 0, second = 0] = ip
  return ip.length === 4 ? first === 169 && second === 254 : first === 0xfe && (second & 0xc0) === 0x80
}

/** True for link-local multicast addresses: 224.0.0.0/24, and ff02::/16 with any flags. */
export function isLinkLocalMulticast(address: Uint8Array): boolean {
  const ip = unmapAddress(address)
  const [first = 0, second = 0, third = 0] = ip
  return ip.length === 4 ? first === 224 && second === 0 && third === 0 : first === 0xff && (second & 0x0f) === 2
}
