import { addressBytes, plainAddress } from './packet.ts'
import { type Flight, isLoopback } from './state.ts'

/** Whether an address is of one of the types; `undefined` when that depends on routes that are not known. */
export function isOfType(side: 'src' | 'dst', types: readonly string[], flight: Flight): boolean | undefined {
  const possible = possibleTypes(side, flight)
  const hits = possible.filter((type) => types.includes(type)).length
  return hits === 0 ? false : hits === possible.length ? true : undefined
}

// internal

function possibleTypes(side: 'src' | 'dst', flight: Flight): readonly string[] {
  const { packet, family } = flight
  const remote =
    family === 'ipv4' ? ['UNICAST', 'BROADCAST'] : ['UNICAST', 'ANYCAST', 'BLACKHOLE', 'UNREACHABLE', 'PROHIBIT']
  const address = side === 'dst' ? flight.dst : packet.src
  if (address === undefined) return ['LOCAL', ...remote]
  const first = addressBytes(address)[0] ?? 0
  if (isLoopback(address)) return ['LOCAL']
  if (family === 'ipv4') {
    if (first >= 224 && first < 240) return ['MULTICAST']
    if (first === 0 || address === '255.255.255.255') return ['BROADCAST']
  } else if (first === 0xff) return ['MULTICAST', ...remote]
  if (packet.local === undefined) return ['LOCAL', ...remote]
  return packet.local.some((each) => plainAddress(each) === plainAddress(address)) ? ['LOCAL'] : remote
}
