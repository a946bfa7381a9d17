import { formatAddress, parsePrefix as parseBytes, unmapAddress } from '@cni/types/ip'

/** A prefix in canonical text; bits outside the mask are kept, as Istio keeps them. */
export interface Prefix {
  readonly family: 'ipv4' | 'ipv6'
  readonly cidr: string
  readonly bits: number
  readonly address: Uint8Array
}

/** Strict `address/bits`: no blanks, zones or leading zeros; undefined when the text is anything else. */
export function parsePrefix(text: string): Prefix | undefined {
  const prefix = text.includes('/') ? parseBytes(text) : undefined
  if (prefix === undefined) return undefined
  const { bytes: address, length: bits } = prefix
  const family = address.length === 4 ? 'ipv4' : 'ipv6'
  return { family, cidr: `${formatAddress(address)}/${bits}`, bits, address }
}

/** 127.0.0.0/8 or ::1; an IPv4-mapped address counts as the IPv4 address it carries. */
export function isLoopback(address: Uint8Array): boolean {
  const ip = unmapAddress(address)
  return ip.length === 4 ? ip[0] === 127 : ip.every((byte, i) => byte === (i === 15 ? 1 : 0))
}

/** 169.254.0.0/16 or fe80::/10. */
export function isLinkLocalUnicast(address: Uint8Array): boolean {
  const ip = unmapAddress(address)
  const [first = 0, second = 0] = ip
  return ip.length === 4 ? first === 169 && second === 254 : first === 0xfe && (second & 0xc0) === 0x80
}

/** 224.0.0.0/24 or ff02::/16 whatever the flags. */
export function isLinkLocalMulticast(address: Uint8Array): boolean {
  const ip = unmapAddress(address)
  const [first = 0, second = 0, third = 0] = ip
  return ip.length === 4 ? first === 224 && second === 0 && third === 0 : first === 0xff && (second & 0x0f) === 2
}
