import { formatAddress, parseAddress } from '@cni/types/ip'
import type { Packet } from '@cni/types/packet'

/** Fields of a received test packet that NAT may have changed. */
export interface Seen {
  readonly id: number
  readonly src: string
  readonly sport: number | undefined
  readonly dst: string
  readonly dport: number | undefined
}

export const bytesOf = (address: string): Uint8Array => {
  const bytes = parseAddress(address)
  if (bytes === undefined) throw new Error(`${address} is no address`)
  return bytes
}

/** Encodes a test packet, with its `id` at an offset that survives every rewrite. */
export function encode(packet: Packet, id: number): Buffer {
  const src = bytesOf(packet.src ?? '')
  const dst = bytesOf(packet.dst)
  const number = protocols[packet.protocol] ?? Number(packet.protocol)
  const body = transport(packet, id)
  const at = checksumAt[number]
  if (at !== undefined) {
    const pseudo =
      number === 1 ? Buffer.alloc(0) : Buffer.concat([src, dst, Buffer.from([0, number]), be16(body.length)])
    body.writeUInt16BE(checksum(Buffer.concat([pseudo, body])) || 0xffff, at)
  }
  if (src.length === 16) {
    const header = Buffer.from([0x60, 0, 0, 0, ...be16(body.length), number, 64])
    return Buffer.concat([header, src, dst, body])
  }
  const header = Buffer.concat([
    Buffer.from([0x45, 0, ...be16(20 + body.length), ...be16(id & 0xffff), 0x40, 0, 64, number, 0, 0]),
    src,
    dst,
  ])
  header.writeUInt16BE(checksum(header), 10)
  return Buffer.concat([header, body])
}

/** Decodes a received test packet after any rewrite; `undefined` for other traffic. */
export function decode(bytes: Buffer): Seen | undefined {
  const six = (bytes[0] ?? 0) >> 4 === 6
  const number = bytes[six ? 6 : 9]
  const body = bytes.subarray(six ? 40 : 20)
  const src = formatAddress(six ? bytes.subarray(8, 24) : bytes.subarray(12, 16))
  const dst = formatAddress(six ? bytes.subarray(24, 40) : bytes.subarray(16, 20))
  if (body.length < 8) return undefined
  const ported = number === 6 || number === 17
  const ports = ported
    ? { sport: body.readUInt16BE(0), dport: body.readUInt16BE(2) }
    : { sport: undefined, dport: undefined }
  const id = number === 6 ? body.readUInt32BE(4) : idOf(body.subarray(8))
  return id === undefined ? undefined : { id, src, dst, ...ports }
}

/** Reads the packet id from the payload of a test packet. */
export const idOf = (payload: Buffer): number | undefined =>
  payload.length >= 8 && payload.toString('latin1', 0, 4) === magic ? payload.readUInt32BE(4) : undefined

/** Encodes a `sockaddr_in` or `sockaddr_in6`. */
export function sockaddr(address: string, port: number): Buffer {
  const bytes = bytesOf(address)
  const out = Buffer.alloc(bytes.length === 4 ? 16 : 28)
  out.writeUInt16LE(bytes.length === 4 ? 2 : 10, 0)
  out.writeUInt16BE(port, 2)
  out.set(bytes, bytes.length === 4 ? 4 : 8)
  return out
}

/** Decodes the address and port of a `sockaddr_in` or `sockaddr_in6`. */
export function fromSockaddr(bytes: Buffer): { address: string; port: number } {
  const four = bytes.readUInt16LE(0) === 2
  return { address: formatAddress(four ? bytes.subarray(4, 8) : bytes.subarray(8, 24)), port: bytes.readUInt16BE(2) }
}

// internal

const magic = 'CNIT'
const protocols: Readonly<Record<string, number>> = { icmp: 1, tcp: 6, udp: 17, icmpv6: 58 }
const checksumAt: Readonly<Record<number, number>> = { 1: 2, 6: 16, 17: 6, 58: 2 }
const flagBits: Readonly<Record<string, number>> = { FIN: 1, SYN: 2, RST: 4, PSH: 8, ACK: 16, URG: 32 }

function transport(packet: Packet, id: number): Buffer {
  const payload = Buffer.concat([Buffer.from(magic, 'latin1'), be32(id)])
  const ports = Buffer.concat([be16(packet.sport ?? 0), be16(packet.dport ?? 0)])
  switch (packet.protocol) {
    case 'tcp': {
      const flags = (packet.tcpFlags ?? ['SYN']).reduce((bits, name) => bits | (flagBits[name] ?? 0), 0)
      return Buffer.concat([ports, be32(id), be32(0), Buffer.from([0x50, flags, 0xff, 0xff, 0, 0, 0, 0])])
    }
    case 'udp':
      return Buffer.concat([ports, be16(16), be16(0), payload])
    case 'icmp':
    case 'icmpv6': {
      const [type = packet.protocol === 'icmp' ? 8 : 128, code = 0] = packet.icmp ?? []
      return Buffer.concat([Buffer.from([type, code, 0, 0]), be16(packet.sport ?? id & 0xffff), be16(1), payload])
    }
    default:
      return Buffer.concat([Buffer.alloc(8), payload])
  }
}

const be16 = (value: number) => Buffer.from([value >> 8, value & 0xff])
const be32 = (value: number) => {
  const out = Buffer.alloc(4)
  out.writeUInt32BE(value >>> 0)
  return out
}

function checksum(bytes: Buffer): number {
  let sum = 0
  for (let i = 0; i < bytes.length; i += 2) sum += ((bytes[i] ?? 0) << 8) | (bytes[i + 1] ?? 0)
  while (sum > 0xffff) sum = (sum & 0xffff) + (sum >>> 16)
  return ~sum & 0xffff
}
