import { isIPv4, isIPv6 } from 'node:net'

/** An address as its bytes: 4 for IPv4, 16 for IPv6. */
export type IpBytes = readonly number[]

/** A prefix in canonical text; bits outside the mask are kept, as Istio keeps them. */
export interface Prefix {
  readonly family: 'ipv4' | 'ipv6'
  readonly cidr: string
  readonly bits: number
  readonly address: IpBytes
}

/** Strict `address/bits`: no blanks, zones or leading zeros; undefined when the text is anything else. */
export function parsePrefix(text: string): Prefix | undefined {
  const slash = text.lastIndexOf('/')
  const bitsText = text.slice(slash + 1)
  const address = slash < 0 ? undefined : parseAddress(text.slice(0, slash))
  if (address === undefined || !/^(0|[1-9]\d{0,2})$/.test(bitsText)) return undefined
  const bits = Number(bitsText)
  if (bits > address.length * 8) return undefined
  const family = address.length === 4 ? 'ipv4' : 'ipv6'
  return { family, cidr: `${formatAddress(address)}/${bits}`, bits, address }
}

/** The bytes of an address without a zone, or undefined. */
export function parseAddress(text: string): IpBytes | undefined {
  if (isIPv4(text)) return text.split('.').map(Number)
  return isIPv6(text) && !text.includes('%') ? parseIPv6(text) : undefined
}

function parseIPv6(text: string): IpBytes {
  const [head = '', tail] = text.split('::')
  const front = groupBytes(head)
  const back = tail === undefined ? [] : groupBytes(tail)
  return [...front, ...Array<number>(16 - front.length - back.length).fill(0), ...back]
}

function groupBytes(groups: string): number[] {
  if (groups === '') return []
  return groups.split(':').flatMap((group) => {
    if (group.includes('.')) return group.split('.').map(Number)
    const word = Number.parseInt(group, 16)
    return [word >> 8, word & 0xff]
  })
}

/** Canonical text: RFC 5952, with the dotted form for IPv4-mapped addresses only. */
export function formatAddress(address: IpBytes): string {
  if (address.length === 4) return address.join('.')
  if (isMapped(address)) return `::ffff:${address.slice(12).join('.')}`
  const words = Array.from({ length: 8 }, (_, i) => ((address[2 * i] ?? 0) << 8) | (address[2 * i + 1] ?? 0))
  const text = words.map((word) => word.toString(16)).join(':')
  const zeros = [...text.matchAll(/\b0(?::0)+\b/g)].map((match) => match[0])
  const longest = zeros.reduce((best, run) => (run.length > best.length ? run : best), '')
  return longest === '' ? text : text.replace(new RegExp(`(?:^|:)${longest}(?::|$)`), '::')
}

/** 127.0.0.0/8 or ::1; an IPv4-mapped address counts as the IPv4 address it carries. */
export function isLoopback(address: IpBytes): boolean {
  const ip = unmap(address)
  return ip.length === 4 ? ip[0] === 127 : ip.every((byte, i) => byte === (i === 15 ? 1 : 0))
}

/** 169.254.0.0/16 or fe80::/10. */
export function isLinkLocalUnicast(address: IpBytes): boolean {
  const [first = 0, second = 0] = unmap(address)
  return unmap(address).length === 4 ? first === 169 && second === 254 : first === 0xfe && (second & 0xc0) === 0x80
}

/** 224.0.0.0/24 or ff02::/16 whatever the flags. */
export function isLinkLocalMulticast(address: IpBytes): boolean {
  const ip = unmap(address)
  const [first = 0, second = 0, third = 0] = ip
  return ip.length === 4 ? first === 224 && second === 0 && third === 0 : first === 0xff && (second & 0x0f) === 2
}

/** The IPv4 address inside an IPv4-mapped IPv6 address; any other address unchanged. */
export function unmap(address: IpBytes): IpBytes {
  return isMapped(address) ? address.slice(12) : address
}

function isMapped(address: IpBytes): boolean {
  return address.length === 16 && address.slice(0, 12).every((byte, i) => byte === (i < 10 ? 0 : 0xff))
}
