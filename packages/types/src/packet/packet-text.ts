import { addressBytes, checkProtocol, familyOf, type Packet } from './packet.ts'
import { refuse } from './packet-error.ts'

/**
 * Parses the text of a packet: protocol, destination, and words with a value. Throws `PacketError` for an invalid
 * packet. Words: `from ADDRESS[:PORT]`, `in`, `out`, `uid`, `gid`, `mark`, `connmark`, `state`, `flags SYN,ACK` (or
 * `NONE`), `type 8` or `type 3/1` (ICMP), `mac`, `pkttype`, `socket`, `local ADDRESS,…`.
 *
 * @example
 * ```ts
 * import { parsePacket } from '@cni/types/packet'
 *
 * parsePacket('tcp 10.0.0.5:80 uid 1000') // made here, by user 1000
 * parsePacket('udp [fd00::1]:53 from [fd00::2]:4000 in eth0 local fd00::1') // came in
 * parsePacket('icmp 10.0.0.5 type 8 in eth0 out eth1') // passes through
 * ```
 */
export function parsePacket(text: string): Packet {
  const [protocol = '', target = '', ...words] = text.trim().split(/\s+/)
  checkProtocol(protocol)
  const { address, port } = endpoint(target)
  const packet: Writable = { protocol, dst: address }
  if (port !== undefined) packet.dport = port
  for (let i = 0; i < words.length; i += 2) {
    const [word = '', value] = words.slice(i, i + 2)
    if (value === undefined) refuse(`${JSON.stringify(word)} has no value`)
    else readWord(packet, word, value)
  }
  familyOf(packet)
  return packet
}

/** Formats a packet as one line of text, which {@link parsePacket} can parse. */
export function packetText(packet: Packet): string {
  const { dst, src, tcpFlags, icmp, packetType, local } = packet
  const words: [word: string, value: string | number | undefined][] = [
    ['from', src === undefined ? undefined : endpointText(src, packet.sport)],
    ['in', packet.in],
    ['out', packet.out],
    ['uid', packet.uid],
    ['gid', packet.gid],
    ['mark', hex(packet.mark)],
    ['connmark', hex(packet.connmark)],
    ['state', packet.state],
    ['flags', tcpFlags?.length === 0 ? 'NONE' : tcpFlags?.join(',')],
    ['type', icmp?.filter((part) => part !== undefined).join('/')],
    ['mac', packet.mac],
    ['pkttype', packetType],
    ['socket', packet.socket],
    ['local', local?.join(',')],
  ]
  const given = words.flatMap(([word, value]) => (value === undefined ? [] : [word, String(value)]))
  return [packet.protocol, endpointText(dst, packet.dport), ...given].join(' ')
}

/** Formats `address:port`, with brackets around IPv6 addresses. */
export function endpointText(address: string | undefined, port: number | undefined): string {
  const shown = address ?? '?'
  if (port === undefined) return shown
  return shown.includes(':') ? `[${shown}]:${port}` : `${shown}:${port}`
}

// internal

type Writable = { -readonly [Key in keyof Packet]: Packet[Key] }

function readWord(packet: Writable, word: string, value: string): void {
  const reader = Object.hasOwn(readers, word) ? readers[word] : undefined
  if (reader === undefined) refuse(`${JSON.stringify(word)} is not one of ${Object.keys(readers).join(', ')}`)
  else Object.assign(packet, reader(value))
}

const readers: Readonly<Record<string, (value: string) => Partial<Packet>>> = {
  from(value) {
    const { address, port } = endpoint(value)
    return { src: address, ...(port === undefined ? {} : { sport: port }) }
  },
  in: (value) => ({ in: value }),
  out: (value) => ({ out: value }),
  uid: (value) => ({ uid: integer(value, 'uid', 0xffffffff) }),
  gid: (value) => ({ gid: integer(value, 'gid', 0xffffffff) }),
  mark: (value) => ({ mark: integer(value, 'mark', 0xffffffff) }),
  connmark: (value) => ({ connmark: integer(value, 'connmark', 0xffffffff) }),
  state: (value) => ({ state: oneOf(states, value.toUpperCase(), 'a state') }),
  flags(value) {
    const names = value.toUpperCase() === 'NONE' ? [] : value.toUpperCase().split(',')
    return { tcpFlags: names.map((name) => oneOf(tcpFlags, name, 'a TCP flag')) }
  },
  type(value) {
    const [type = '', code] = value.split('/')
    const first = integer(type, 'type', 255)
    return { icmp: code === undefined ? [first] : [first, integer(code, 'code', 255)] }
  },
  mac: (value) => ({ mac: /^[0-9a-f]{2}(:[0-9a-f]{2}){5}$/i.test(value) ? value : refuse(`${value} is not a MAC`) }),
  pkttype: (value) => ({ packetType: oneOf(packetTypes, value, 'a packet type') }),
  socket: (value) => ({ socket: oneOf(sockets, value, 'a kind of socket') }),
  local(value) {
    const local = value.split(',')
    for (const each of local) addressBytes(each)
    return { local }
  },
}

const states: readonly NonNullable<Packet['state']>[] = ['NEW', 'ESTABLISHED', 'RELATED', 'INVALID', 'UNTRACKED']
const tcpFlags: NonNullable<Packet['tcpFlags']> = ['FIN', 'SYN', 'RST', 'PSH', 'ACK', 'URG']
const packetTypes: readonly NonNullable<Packet['packetType']>[] = ['unicast', 'broadcast', 'multicast']
const sockets: readonly NonNullable<Packet['socket']>[] = ['none', 'plain', 'transparent']

const oneOf = <T extends string>(values: readonly T[], given: string, what: string): T =>
  values.find((value) => value === given) ?? refuse(`${given} is not ${what}: ${values.join(', ')}`)

const hex = (value: number | undefined) => (value === undefined ? undefined : `0x${value.toString(16)}`)

function endpoint(text: string): { address: string; port: number | undefined } {
  const [, bracketed, dotted, port] = /^(?:\[([^\]]*)\]|([^:]*))(?::(\d+))?$/.exec(text) ?? []
  const address = bracketed ?? dotted ?? text
  addressBytes(address)
  return { address, port: port === undefined ? undefined : integer(port, 'port', 65535) }
}

function integer(text: string, what: string, max: number): number {
  const value = /^(0x[0-9a-f]+|\d+)$/i.test(text) ? Number(text) : Number.NaN
  return value <= max ? value : refuse(`${what} ${JSON.stringify(text)} is not a number up to ${max}`)
}
