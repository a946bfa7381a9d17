import type { IpFamily } from '@cni/types/ip'
import { formatAddress } from '@cni/types/ip'
import { NetnsError } from '../../handle/netns-error.ts'
import { attributeMap } from '../../netlink/decode.ts'
import type { Attribute } from '../../netlink/encode.ts'
import { checkInteger, describeValue } from '../check.ts'
import { constantName } from '../constant-name.ts'
import { familyName, familyNumber, familyQuery, parseAddress } from '../ip.ts'
import { formatMac, parseMac } from '../link/mac.ts'
import type { NewNeighbour } from '../port/arguments.ts'
import type { Neighbour } from '../port/neighbour.ts'
import { states } from './states.ts'

// Constants from the kernel header <linux/neighbour.h>.
const NDMSG = 12
const NDA_DST = 1
const NDA_LLADDR = 2
const NTF_PROXY = 0x08
const NTF_ROUTER = 0x80

/** Encodes the fixed part of a netlink request that lists neighbour (ARP, NDP) entries. */
export function neighbourQuery(family: IpFamily | undefined, proxy: boolean): Uint8Array {
  const fixed = familyQuery(NDMSG, family)
  fixed[10] = proxy ? NTF_PROXY : 0
  return fixed
}

/** Encodes a netlink request that adds or deletes a neighbour entry. Throws `NetnsError('INVALID')`. */
export function encodeNeighbour(
  neighbour: NewNeighbour,
  linkIndex: number,
): { fixed: Uint8Array; attributes: Attribute[] } {
  const { mac, proxy = false, router = false } = neighbour
  const { family, bytes } = parseAddress(neighbour.address)
  const fixed = Buffer.alloc(NDMSG)
  fixed[0] = familyNumber(family)
  fixed.writeInt32LE(linkIndex, 4)
  fixed.writeUInt16LE(proxy ? 0 : stateNumber(neighbour), 8)
  fixed[10] = (proxy ? NTF_PROXY : 0) | (router ? NTF_ROUTER : 0)
  const attributes: Attribute[] = [[NDA_DST, bytes]]
  if (mac !== undefined) attributes.push([NDA_LLADDR, parseMac(mac)])
  return { fixed, attributes }
}

/** Decodes a neighbour (ARP, NDP) entry. Returns `undefined` for a family other than IPv4 and IPv6. */
export function decodeNeighbour(body: Buffer): Neighbour | undefined {
  const attributes = attributeMap(body, NDMSG)
  const family = familyName(body.readUInt8(0))
  const address = attributes.get(NDA_DST)
  const mac = attributes.get(NDA_LLADDR)
  if (family === undefined || address === undefined) return undefined
  const flags = body.readUInt8(10)
  const state = body.readUInt16LE(8)
  return {
    family,
    address: formatAddress(address),
    linkIndex: body.readInt32LE(4),
    state: constantName(states, state) ?? state,
    proxy: (flags & NTF_PROXY) !== 0,
    router: (flags & NTF_ROUTER) !== 0,
    ...(mac?.length === 6 ? { mac: formatMac(mac) } : {}),
  }
}

function stateNumber({ state = 'permanent' }: NewNeighbour): number {
  if (typeof state === 'number') return checkInteger(state, 0, 0xffff, 'state')
  if (Object.hasOwn(states, state)) return states[state]
  throw new NetnsError(
    'INVALID',
    `Unknown neighbour state: ${describeValue(state)}; expected one of ${Object.keys(states)}`,
  )
}
