import { addressBytes, plainAddress } from '@cni/types/packet'
import { isLoopback, type TracedPacket } from './traced-packet.ts'

/** True if an address has one of the addrtype match's types; `undefined` if that depends on unknown routes. */
export function isOfType(side: 'src' | 'dst', types: readonly string[], traced: TracedPacket): boolean | undefined {
  const address = side === 'dst' ? traced.dst : traced.source.address
  if (traced.family === 'ipv6') return isOfTypes6(address, types, traced)
  const possible = possibleTypes(address, traced)
  const hits = possible.filter((type) => types.includes(type)).length
  return hits === 0 ? false : hits === possible.length ? true : undefined
}

// internal

/** Types that an IPv4 address may have for the addrtype match. */
function possibleTypes(address: string | undefined, { packet }: TracedPacket): readonly string[] {
  const remote = ['UNICAST', 'BROADCAST', 'BLACKHOLE', 'UNREACHABLE', 'PROHIBIT']
  if (address === undefined) return ['LOCAL', ...remote]
  const first = addressBytes(address)[0] ?? 0
  if (isLoopback(address)) return ['LOCAL']
  if (first >= 224 && first < 240) return ['MULTICAST']
  if (first === 0 || address === '255.255.255.255') return ['BROADCAST']
  if (packet.local === undefined) return ['LOCAL', ...remote]
  return isOwn(address, packet.local) ? ['LOCAL'] : remote
}

/** Evaluates the addrtype match for IPv6 as the kernel's `match_type6` does. */
function isOfTypes6(
  address: string | undefined,
  types: readonly string[],
  { packet }: TracedPacket,
): boolean | undefined {
  if (address === undefined) return undefined
  const multicast = addressBytes(address)[0] === 0xff
  if (types.includes('MULTICAST') && !multicast) return false
  if (types.includes('UNICAST') && (multicast || address === '::')) return false
  const routed = types.filter((type) => type !== 'MULTICAST' && type !== 'UNICAST')
  if (routed.length === 0) return true
  if (isLoopback(address)) return routed.includes('LOCAL')
  if (packet.local === undefined || multicast) return undefined
  if (isOwn(address, packet.local)) return routed.includes('LOCAL') ? true : undefined
  return routed.every((type) => type === 'LOCAL') ? false : undefined
}

const isOwn = (address: string, local: readonly string[]) =>
  local.some((each) => plainAddress(each) === plainAddress(address))
