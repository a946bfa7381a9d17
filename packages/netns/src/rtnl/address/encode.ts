import type { IpFamily } from '@cni/types/ip'
import { NetnsError } from '../../handle/netns-error.ts'
import type { Attribute } from '../../netlink/encode.ts'
import { cString, u32 } from '../../netlink/values.ts'
import { checkInteger, describeValue } from '../check.ts'
import { familyNumber, familyQuery, type Prefix, parseAddress, parsePrefix } from '../ip.ts'
import type { NewAddress } from '../port/address.ts'
import * as wire from './wire.ts'

/** Encodes the fixed part of a netlink request that lists the IP addresses of one family, or of all families. */
export const addressQuery = (family: IpFamily | undefined): Uint8Array => familyQuery(wire.IFADDRMSG, family)

/** Parses an IP address that must have a prefix length, because a missing prefix length rarely means /32. */
export function parseCidr(text: string): Prefix {
  if (typeof text === 'string' && text.includes('/')) return parsePrefix(text)
  throw new NetnsError(
    'INVALID',
    `Not an address with its prefix length: ${describeValue(text)}; expected one like 10.0.0.1/24`,
  )
}

/** Encodes a netlink request that adds or deletes an IP address. Throws `NetnsError('INVALID')`. */
export function encodeAddress(
  address: Omit<NewAddress, 'link' | 'linkIndex'>,
  linkIndex: number,
): { fixed: Uint8Array; attributes: Attribute[] } {
  const { peer, broadcast, label, metric, validSeconds, preferredSeconds } = address
  const prefix = parseCidr(address.cidr)
  const sameFamily = (text: string, name: string): Uint8Array => {
    const { family, bytes } = parseAddress(text)
    if (family === prefix.family) return bytes
    throw new NetnsError(
      'INVALID',
      `Address ${describeValue(address.cidr)}: its ${name} ${describeValue(text)} is ${family}`,
    )
  }
  const flags = (address.noPrefixRoute ? wire.IFA_F_NOPREFIXROUTE : 0) | (address.noDad ? wire.IFA_F_NODAD : 0)
  const fixed = Buffer.alloc(wire.IFADDRMSG)
  fixed[0] = familyNumber(prefix.family)
  fixed[1] = prefix.length
  fixed[2] = flags & 0xff
  fixed[3] = scopeOf(address, prefix)
  fixed.writeUInt32LE(checkInteger(linkIndex, 1, 0x7fffffff, 'Index of a link'), 4)
  const attributes: Attribute[] = [
    [wire.IFA_LOCAL, prefix.bytes],
    [wire.IFA_ADDRESS, peer === undefined ? prefix.bytes : sameFamily(peer, 'peer')],
  ]
  if (broadcast !== undefined) attributes.push([wire.IFA_BROADCAST, sameFamily(broadcast, 'broadcast')])
  if (label !== undefined) attributes.push([wire.IFA_LABEL, cString(label)])
  if (metric !== undefined) {
    attributes.push([wire.IFA_RT_PRIORITY, u32(checkInteger(metric, 0, 0xffffffff, 'metric'))])
  }
  // The fixed part of an address request has no room for flags beyond eight bits.
  if (flags > 0xff) attributes.push([wire.IFA_FLAGS, u32(flags)])
  if (validSeconds !== undefined || preferredSeconds !== undefined) {
    attributes.push([wire.IFA_CACHEINFO, lifetime(preferredSeconds, validSeconds)])
  }
  return { fixed, attributes }
}

function scopeOf({ scope, cidr }: Pick<NewAddress, 'scope' | 'cidr'>, prefix: Prefix): number {
  if (typeof scope === 'number') return checkInteger(scope, 0, 255, 'scope')
  if (scope === undefined) return prefix.family === 'ipv4' && prefix.bytes[0] === 127 ? wire.scopeNumbers.host : 0
  if (Object.hasOwn(wire.scopeNumbers, scope)) return wire.scopeNumbers[scope]
  throw new NetnsError('INVALID', `Address ${describeValue(cidr)}: unknown scope ${describeValue(scope)}`)
}

function lifetime(preferred: number | undefined, valid: number | undefined): Uint8Array {
  const seconds = (value: number | undefined, name: string) =>
    value === undefined ? wire.FOREVER : checkInteger(value, 0, wire.FOREVER, name)
  const bytes = Buffer.alloc(16)
  bytes.writeUInt32LE(seconds(preferred ?? valid, 'preferredSeconds'), 0)
  bytes.writeUInt32LE(seconds(valid, 'validSeconds'), 4)
  return bytes
}
