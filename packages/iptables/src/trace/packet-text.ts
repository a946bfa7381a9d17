import { addressBytes, familyOf, type Packet, type PacketState, protocolNumber, refuse } from './packet.ts'

/**
 * Reads a packet: protocol, destination, then words with a value: `from ADDRESS[:PORT]`, `in`, `out`, `uid`, `gid`,
 * `mark`, `connmark`, `state`, `local ADDRESS,…`. Throws `IptablesError('PARSE')`.
 *
 * @example
 * ```ts
 * import { parsePacket } from '@cni/iptables'
 *
 * parsePacket('tcp 10.0.0.5:80 uid 1000') // made here, by user 1000
 * parsePacket('udp [fd00::1]:53 from [fd00::2]:4000 in eth0 local fd00::1') // came in
 * ```
 */
export function parsePacket(text: string): Packet {
  const [protocol = '', target = '', ...words] = text.trim().split(/\s+/)
  if (protocolNumber(protocol) === undefined) refuse(`${JSON.stringify(protocol)} is not a protocol`)
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

/** Prints a packet as `parsePacket` reads it. */
export function packetText(packet: Packet): string {
  const words = [packet.protocol, endpointText(packet.dst, packet.dport)]
  if (packet.src !== undefined) words.push('from', endpointText(packet.src, packet.sport))
  for (const word of ['in', 'out', 'uid', 'gid'] as const) {
    const value = packet[word]
    if (value !== undefined) words.push(word, String(value))
  }
  for (const word of ['mark', 'connmark'] as const) {
    const value = packet[word]
    if (value !== undefined) words.push(word, `0x${value.toString(16)}`)
  }
  if (packet.state !== undefined) words.push('state', packet.state)
  if (packet.local !== undefined) words.push('local', packet.local.join(','))
  return words.join(' ')
}

/** `address:port`, with brackets where the address has colons. */
export function endpointText(address: string | undefined, port: number | undefined): string {
  const shown = address ?? '?'
  if (port === undefined) return shown
  return shown.includes(':') ? `[${shown}]:${port}` : `${shown}:${port}`
}

// internal

type Writable = { -readonly [Key in keyof Packet]: Packet[Key] }

function readWord(packet: Writable, word: string, value: string): void {
  switch (word) {
    case 'from': {
      const { address, port } = endpoint(value)
      packet.src = address
      if (port !== undefined) packet.sport = port
      return
    }
    case 'in':
    case 'out':
      packet[word] = value
      return
    case 'uid':
    case 'gid':
    case 'mark':
    case 'connmark':
      packet[word] = integer(value, word, 0xffffffff)
      return
    case 'state':
      packet.state = states.find((state) => state === value.toUpperCase()) ?? refuse(`${value} is not a state`)
      return
    case 'local':
      packet.local = value.split(',')
      for (const each of packet.local) addressBytes(each)
      return
    default:
      refuse(`${JSON.stringify(word)} is not one of from, in, out, uid, gid, mark, connmark, state, local`)
  }
}

const states: readonly PacketState[] = ['NEW', 'ESTABLISHED', 'RELATED', 'INVALID', 'UNTRACKED']

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
