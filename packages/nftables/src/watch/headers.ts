import { formatAddress } from '@cni/types/ip'
import { endpointText } from '@cni/types/packet'
import type { TracedPacket } from '../wire/events/traces.ts'

/** Header fields of a traced packet, as far as the kernel reported them. */
interface Headers {
  readonly protocol: number
  readonly source: string
  readonly destination: string
  readonly sport?: number
  readonly dport?: number
  readonly text: string
}

const words = new Map<number, string>([
  ...([
    [1, 'icmp'],
    [6, 'tcp'],
    [17, 'udp'],
    [58, 'ipv6-icmp'],
    [132, 'sctp'],
  ] as const),
])
const withPorts: readonly number[] = [6, 17, 33, 132, 136]

/** Parses the first bytes of a traced packet's headers. `undefined` if the bytes are not IP, or too short. */
export function headersOf({ network, transport }: TracedPacket): Headers | undefined {
  if (network === undefined) return undefined
  const version = (network[0] ?? 0) >> 4
  const [protocolAt, from, to, length] = version === 4 ? [9, 12, 16, 4] : [6, 8, 24, 16]
  const protocol = network[protocolAt]
  if ((version !== 4 && version !== 6) || network.length < to + length || protocol === undefined) return undefined
  const source = formatAddress(network.subarray(from, from + length))
  const destination = formatAddress(network.subarray(to, to + length))
  const ports =
    withPorts.includes(protocol) && transport !== undefined && transport.length >= 4 ? portsIn(transport) : {}
  const ends = [endpointText(source, ports.sport), endpointText(destination, ports.dport)]
  return { protocol, source, destination, ...ports, text: `${words.get(protocol) ?? protocol} ${ends.join(' > ')}` }
}

function portsIn(bytes: Uint8Array): { readonly sport?: number; readonly dport?: number } {
  const [a = 0, b = 0, c = 0, d = 0] = bytes
  return { sport: (a << 8) | b, dport: (c << 8) | d }
}
