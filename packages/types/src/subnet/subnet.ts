import { Address4, Address6 } from 'ip-address'
import { formatAddress } from '../ip/format-address.ts'
import { type IpFamily, parseAddress } from '../ip/parse-address.ts'
import { parsePrefix } from '../ip/prefix.ts'

/**
 * Parses a network such as `10.1.0.0/16`. A single address counts as a network of one address. Host bits are dropped.
 *
 * @throws TypeError that names an invalid text.
 * @example
 * ```ts
 * import { subnet } from '@cni/types/subnet'
 *
 * subnet('10.1.2.3/24').cidr // '10.1.2.0/24'
 * subnet('fd00::/120').last // 'fd00::ff'
 * ```
 */
export function subnet(text: string): {
  readonly family: IpFamily
  /** Canonical text of the network: first address and prefix length. */
  readonly cidr: string
  readonly first: string
  readonly last: string
  readonly prefixLength: number
  /** Number of addresses in the network. The network address and the broadcast address count too. */
  readonly size: bigint
} {
  const prefix = parsePrefix(text)
  if (prefix === undefined) throw new TypeError(`${JSON.stringify(text)} is not an address or ADDRESS/LENGTH`)
  const address = read(text)
  const first = address.startAddress()
  const { length } = prefix
  return {
    family: familyOf(address),
    cidr: `${format(first)}/${length}`,
    first: format(first),
    last: format(address.endAddress()),
    prefixLength: length,
    size: 2n ** BigInt((address instanceof Address4 ? 32 : 128) - length),
  }
}

/**
 * True if the network `outer` contains `inner`, an address or a network. Always false for different address families.
 *
 * @throws TypeError for an invalid address or network.
 */
export function contains(outer: string, inner: string): boolean {
  const [a, b] = [bounds(outer), bounds(inner)]
  return a.family === b.family && a.first <= b.first && b.last <= a.last
}

/**
 * True if two networks have an address in common.
 *
 * @throws TypeError for an invalid network.
 */
export function overlaps(one: string, other: string): boolean {
  const [a, b] = [bounds(one), bounds(other)]
  return a.family === b.family && a.first <= b.last && b.first <= a.last
}

/**
 * Address that is `steps` after the given address. `undefined` beyond the family's first or last address.
 *
 * @throws TypeError for an invalid address.
 */
export function nextAddress(address: string, steps: number | bigint = 1): string | undefined {
  if (parseAddress(address) === undefined) throw new TypeError(`${JSON.stringify(address)} is not an IP address`)
  const from = read(address)
  return at(familyOf(from), from.bigInt() + BigInt(steps))
}

/**
 * Yields the addresses of a network in order, one at a time.
 *
 * @throws TypeError for an invalid network.
 * @example
 * ```ts
 * import { addressesOf } from '@cni/types/subnet'
 *
 * for (const address of addressesOf('10.0.0.0/30')) address // 10.0.0.0, .1, .2, .3
 * ```
 */
export function* addressesOf(network: string): Generator<string, void, undefined> {
  const { family, first, last } = bounds(network)
  for (let value = first; value <= last; value++) yield at(family, value) ?? ''
}

// internal

interface Bounds {
  readonly family: IpFamily
  readonly first: bigint
  readonly last: bigint
}

function bounds(text: string): Bounds {
  const { family, first, last } = subnet(text)
  return { family, first: read(first).bigInt(), last: read(last).bigInt() }
}

const read = (text: string): Address4 | Address6 => (text.includes(':') ? new Address6(text) : new Address4(text))

const familyOf = (address: Address4 | Address6): IpFamily => (address instanceof Address4 ? 'ipv4' : 'ipv6')

/** Formats an address as `@cni/types/ip` does: an IPv4-mapped address keeps its dots, as in `::ffff:10.0.0.1`. */
const format = (address: Address4 | Address6): string =>
  formatAddress(parseAddress(address.correctForm()) ?? new Uint8Array(0))

function at(family: IpFamily, value: bigint): string | undefined {
  const bits = family === 'ipv4' ? 32n : 128n
  if (value < 0n || value >> bits !== 0n) return undefined
  return format(family === 'ipv4' ? Address4.fromBigInt(value) : Address6.fromBigInt(value))
}
