/** Family of an IP address: IPv4 or IPv6. */
export type IpFamily = 'ipv4' | 'ipv6'

/**
 * Parses an IP address to bytes in network byte order. Returns `undefined` for an invalid address. Rejects zones, and
 * leading zeros, which some parsers read as octal.
 *
 * @example
 * ```ts
 * import { parseAddress } from '@cni/types/ip'
 *
 * parseAddress('10.0.0.1') // Uint8Array [10, 0, 0, 1]
 * parseAddress('010.0.0.1') // undefined
 * ```
 */
export function parseAddress(text: string): Uint8Array | undefined {
  if (text.includes(':')) return parseIpv6(text)
  const bytes = new Uint8Array(4)
  return readDotted(text, 0, bytes, 0) ? bytes : undefined
}

// internal: reads character codes, because a pod's start parses thousands of addresses.

/** Parses the IPv4 address at offset `from` of a text. Writes the four bytes to `bytes`, from index `at` on. */
function readDotted(text: string, from: number, bytes: Uint8Array, at: number): boolean {
  let octets = 0
  let value = -1
  for (let i = from; i <= text.length; i++) {
    const digit = text.charCodeAt(i) - 48
    if (digit >= 0 && digit <= 9) {
      if (value === 0) return false
      value = value === -1 ? digit : value * 10 + digit
      if (value > 255) return false
    } else {
      if (value === -1 || octets === 4 || (i < text.length && text[i] !== '.')) return false
      bytes[at + octets] = value
      octets++
      value = -1
    }
  }
  return octets === 4
}

function parseIpv6(text: string): Uint8Array | undefined {
  const bytes = new Uint8Array(16)
  let at = 0
  let gap = text.startsWith('::') ? 0 : -1
  let i = gap === 0 ? 2 : 0
  while (i < text.length) {
    const start = i
    let value = 0
    for (let digit = hexDigit(text, i); digit !== -1 && i - start < 5; digit = hexDigit(text, ++i)) {
      value = value * 16 + digit
    }
    if (text[i] === '.') {
      if (at > 12 || !readDotted(text, start, bytes, at)) return undefined
      at += 4
      break
    }
    if (i === start || i - start > 4 || at === 16) return undefined
    bytes[at++] = value >> 8
    bytes[at++] = value & 0xff
    if (i === text.length) break
    if (text[i++] !== ':' || i === text.length) return undefined
    if (text[i] === ':') {
      if (gap !== -1) return undefined
      gap = at
      i++
    }
  }
  return gap === -1 ? (at === 16 ? bytes : undefined) : spread(bytes, gap, at)
}

/** Expands the "::" of an IPv6 address, which stands for at least one group. */
function spread(bytes: Uint8Array, gap: number, end: number): Uint8Array | undefined {
  if (end > 14) return undefined
  const tail = 16 - (end - gap)
  return bytes.copyWithin(tail, gap, end).fill(0, gap, tail)
}

function hexDigit(text: string, index: number): number {
  const code = text.charCodeAt(index)
  if (code >= 48 && code <= 57) return code - 48
  const letter = code | 0x20
  return letter >= 97 && letter <= 102 ? letter - 87 : -1
}
