import { formatAddress } from '@cni/types/ip'
import { attributeMap } from '../netlink/decode.ts'
import type { Attribute } from '../netlink/encode.ts'
import { readU32 } from '../netlink/values.ts'
import { familyName, familyNumber, familyQuery, type IpFamily, type Prefix } from './ip.ts'

/** An address of a link. */
export interface Address {
  readonly family: IpFamily
  readonly address: string
  readonly prefixLength: number
  /** `address/prefixLength`. */
  readonly cidr: string
  readonly linkIndex: number
  readonly scope: 'universe' | 'site' | 'link' | 'host' | number
  /** IPv6 duplicate detection still runs. */
  readonly tentative: boolean
  /** IPv6 duplicate detection failed: the address does not work. */
  readonly duplicate: boolean
}

/** Which addresses to list. */
export interface AddressFilter {
  readonly link?: string
  readonly family?: IpFamily
}

const IFADDRMSG = 8
const IFA_ADDRESS = 1
const IFA_LOCAL = 2
const IFA_FLAGS = 8
const IFA_F_DADFAILED = 0x08
const IFA_F_TENTATIVE = 0x40
const RT_SCOPE_UNIVERSE = 0
const RT_SCOPE_HOST = 254

const scopes: Readonly<Record<number, Address['scope']>> = { 0: 'universe', 200: 'site', 253: 'link', 254: 'host' }

/** The fixed part that asks for the addresses of one family, or of all. */
export const addressQuery = (family: IpFamily | undefined): Uint8Array => familyQuery(IFADDRMSG, family)

/** The fixed part and attributes that add or delete an address of a link. */
export function encodeAddress(prefix: Prefix, linkIndex: number): { fixed: Uint8Array; attributes: Attribute[] } {
  const fixed = Buffer.alloc(IFADDRMSG)
  fixed[0] = familyNumber(prefix.family)
  fixed[1] = prefix.length
  fixed[3] = prefix.family === 'ipv4' && prefix.bytes[0] === 127 ? RT_SCOPE_HOST : RT_SCOPE_UNIVERSE
  fixed.writeUInt32LE(linkIndex, 4)
  return {
    fixed,
    attributes: [
      [IFA_LOCAL, prefix.bytes],
      [IFA_ADDRESS, prefix.bytes],
    ],
  }
}

/** An address message of the kernel; `undefined` for another family. */
export function decodeAddress(body: Buffer): Address | undefined {
  const attributes = attributeMap(body, IFADDRMSG)
  const family = familyName(body.readUInt8(0))
  // IFA_ADDRESS is the peer's on a point-to-point link
  const raw = attributes.get(IFA_LOCAL) ?? attributes.get(IFA_ADDRESS)
  if (family === undefined || raw === undefined) return undefined
  const flags = readU32(attributes.get(IFA_FLAGS)) ?? body.readUInt8(2)
  const scope = body.readUInt8(3)
  const address = formatAddress(raw)
  const prefixLength = body.readUInt8(1)
  return {
    family,
    address,
    prefixLength,
    cidr: `${address}/${prefixLength}`,
    linkIndex: body.readUInt32LE(4),
    scope: scopes[scope] ?? scope,
    tentative: (flags & IFA_F_TENTATIVE) !== 0,
    duplicate: (flags & IFA_F_DADFAILED) !== 0,
  }
}
