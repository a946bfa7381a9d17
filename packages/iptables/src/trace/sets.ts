import { parseAddress } from '@cni/types/ip'
import { addressBytes, type Packet, protocolNumber } from '@cni/types/packet'
import type { TracedPacket } from './traced-packet.ts'

/**
 * True if a traced packet is in an ipset. `flags` select the source or destination for each dimension, for example
 * `src,dst`.
 */
export function inSet(name: string, flags: string, traced: TracedPacket): boolean | undefined {
  const { sets = {} } = traced.options
  const entries = Object.hasOwn(sets, name) ? sets[name] : undefined
  if (entries === undefined || traced.changedSets.has(name)) return undefined
  let open = false
  for (const entry of entries) {
    const found = isEntry(entry.split(','), flags.split(','), traced)
    if (found === true) return true
    if (found === undefined) open = true
  }
  return open ? undefined : false
}

/** True if an address is in a range, including both ends. */
export function inRange(address: string | undefined, low: string, high: string): boolean | undefined {
  const [given, from, to] = [address, low, high].map((each) => (each === undefined ? undefined : bytesOf(each)))
  if (given === undefined || from === undefined || to === undefined) return undefined
  if (given.length !== from.length || given.length !== to.length) return false
  return compare(given, from) >= 0 && compare(given, to) <= 0
}

// internal

/** Compares the bytes of two addresses of one family. */
function compare(a: Uint8Array, b: Uint8Array): number {
  const at = a.findIndex((byte, index) => byte !== b[index])
  return at === -1 ? 0 : (a[at] ?? 0) - (b[at] ?? 0)
}

/** Bytes of an address, which is in the usual spelling or in canonical form (bytes with dots between them). */
function bytesOf(text: string): Uint8Array | undefined {
  const parts = text.split('.')
  if (parts.length === 16) return Uint8Array.from(parts, Number)
  return parseAddress(text)
}

function isEntry(parts: readonly string[], sides: readonly string[], traced: TracedPacket): boolean | undefined {
  // Compares an ipset entry with the packet, dimension by dimension.
  if (parts.length > sides.length) return undefined
  const found = parts.map((part, i) => meetsField(part, sides[i] === 'src' ? 'src' : 'dst', traced))
  return found.includes(false) ? false : found.includes(undefined) ? undefined : true
}

function meetsField(part: string, side: 'src' | 'dst', traced: TracedPacket): boolean | undefined {
  const { packet } = traced
  const port = /^(?:(\w+):)?(\d+)(?:-(\d+))?$/.exec(part)
  if (port !== null) {
    const [, protocol, low, high = low] = port
    if (!ofProtocol(packet, protocol)) return false
    const given = side === 'src' ? traced.source.port : traced.dport
    return given === undefined ? undefined : given >= Number(low) && given <= Number(high)
  }
  const address = side === 'src' ? traced.source.address : traced.dst
  const network = /^([0-9a-f.:]+)\/(\d+)$/i.exec(part)
  if (network !== null) return inPrefix(address, network[1] ?? '', Number(network[2]))
  const [low = '', high = low] = part.split('-')
  return /^[0-9a-f.:]+$/i.test(low) ? inRange(address, low, high) : undefined
}

/** The port of an ipset entry without a protocol is a TCP port. */
const ofProtocol = (packet: Packet, name = 'tcp') => protocolNumber(packet.protocol) === protocolNumber(name)

function inPrefix(address: string | undefined, network: string, length: number): boolean | undefined {
  const prefix = parseAddress(network)
  if (address === undefined || prefix === undefined) return undefined
  const given = addressBytes(address)
  if (given.length !== prefix.length) return false
  return prefix.every((byte, i) => {
    const bits = Math.min(8, Math.max(0, length - i * 8))
    return ((byte ^ (given[i] ?? 0)) & (0xff00 >> bits) & 0xff) === 0
  })
}
