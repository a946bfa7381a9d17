import { invalid } from '../errors.ts'
import type { Family } from './model.ts'

/** An address in network order with its prefix length. */
export interface Network {
  readonly bytes: readonly number[]
  readonly prefix: number
}

/** Checks an address or CIDR of `family` and returns it unchanged; host bits may be set. */
export function checkNetwork(text: string, family: Family, what: string): string {
  const network = typeof text === 'string' ? parseNetwork(text, family) : undefined
  if (network === undefined) {
    invalid(`${what}: ${JSON.stringify(text)} is not an ${names[family]} address or CIDR, such as ${samples[family]}`)
  }
  return text
}

/** Parses `address` or `address/prefix`; `undefined` for anything else, a leading zero or a zone included. */
export function parseNetwork(text: string, family: Family): Network | undefined {
  const slash = text.indexOf('/')
  const address = slash === -1 ? text : text.slice(0, slash)
  const bytes = family === 'ipv4' ? parseIpv4(address) : parseIpv6(address)
  if (bytes === undefined) return undefined
  const bits = bytes.length * 8
  if (slash === -1) return { bytes, prefix: bits }
  const prefix = decimal(text.slice(slash + 1), bits)
  return prefix === undefined ? undefined : { bytes, prefix }
}

/** The one spelling of a network: host bits cleared, `/prefix` always there. Equal networks give equal text. */
export function canonicalNetwork({ bytes, prefix }: Network): string {
  const masked = bytes.map((byte, index) => byte & (0xff00 >> Math.min(8, Math.max(0, prefix - index * 8))) & 0xff)
  return `${formatAddress(masked)}/${prefix}`
}

/** The one spelling of an address given as bytes: dotted, or eight groups in hexadecimal. */
export function formatAddress(bytes: readonly number[]): string {
  if (bytes.length === 4) return bytes.join('.')
  const groups: string[] = []
  for (let i = 0; i < 16; i += 2) groups.push((((bytes[i] ?? 0) << 8) | (bytes[i + 1] ?? 0)).toString(16))
  return groups.join(':')
}

// internal

const names = { ipv4: 'IPv4', ipv6: 'IPv6' }
const samples = { ipv4: '10.0.0.0/8', ipv6: 'fd00::/8' }

function parseIpv4(text: string): number[] | undefined {
  const parts = text.split('.')
  if (parts.length !== 4) return undefined
  const bytes: number[] = []
  for (const part of parts) {
    const byte = decimal(part, 255)
    if (byte === undefined) return undefined
    bytes.push(byte)
  }
  return bytes
}

function parseIpv6(text: string): number[] | undefined {
  const halves = text.split('::')
  if (halves.length > 2) return undefined
  const head = parseGroups(halves[0] ?? '', halves.length === 1)
  if (head === undefined) return undefined
  if (halves.length === 1) return head.length === 16 ? head : undefined
  const tail = parseGroups(halves[1] ?? '', true)
  if (tail === undefined || head.length + tail.length > 14) return undefined
  return [...head, ...new Array<number>(16 - head.length - tail.length).fill(0), ...tail]
}

/** Groups of one side of `::`; a dotted IPv4 address may only stand at the very end. */
function parseGroups(text: string, last: boolean): number[] | undefined {
  if (text === '') return []
  const bytes: number[] = []
  const groups = text.split(':')
  for (const [index, group] of groups.entries()) {
    if (last && index === groups.length - 1 && group.includes('.')) {
      const dotted = parseIpv4(group)
      if (dotted === undefined) return undefined
      bytes.push(...dotted)
    } else {
      if (!/^[0-9a-fA-F]{1,4}$/.test(group)) return undefined
      const value = Number.parseInt(group, 16)
      bytes.push(value >> 8, value & 0xff)
    }
  }
  return bytes
}

/** A decimal number up to `max` without a leading zero, which other parsers read as octal. */
function decimal(text: string, max: number): number | undefined {
  if (!/^(0|[1-9][0-9]{0,2})$/.test(text)) return undefined
  const value = Number(text)
  return value <= max ? value : undefined
}
