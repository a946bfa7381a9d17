import { formatAddress } from '@cni/types/ip'
import { attributeMap } from '../../netlink/decode.ts'
import { readCString, readU32 } from '../../netlink/values.ts'
import { constantName } from '../constant-name.ts'
import { familyName } from '../ip.ts'
import type { Address } from '../port/address.ts'
import * as wire from './wire.ts'

/** Decodes the IP address in an RTM_NEWADDR message. Returns `undefined` for a family other than IPv4 and IPv6. */
export function decodeAddress(body: Buffer): Address | undefined {
  const attributes = attributeMap(body, wire.IFADDRMSG)
  const family = familyName(body.readUInt8(0))
  const other = attributes.get(wire.IFA_ADDRESS)
  const raw = attributes.get(wire.IFA_LOCAL) ?? other
  if (family === undefined || raw === undefined) return undefined
  const flags = readU32(attributes.get(wire.IFA_FLAGS)) ?? body.readUInt8(2)
  const scope = body.readUInt8(3)
  const address = formatAddress(raw)
  const prefixLength = body.readUInt8(1)
  const broadcast = attributes.get(wire.IFA_BROADCAST)
  const label = readCString(attributes.get(wire.IFA_LABEL))
  const metric = readU32(attributes.get(wire.IFA_RT_PRIORITY))
  return {
    family,
    address,
    prefixLength,
    cidr: `${address}/${prefixLength}`,
    linkIndex: body.readUInt32LE(4),
    scope: constantName(wire.scopeNumbers, scope) ?? scope,
    tentative: (flags & wire.IFA_F_TENTATIVE) !== 0,
    duplicate: (flags & wire.IFA_F_DADFAILED) !== 0,
    ...(other === undefined || other.equals(raw) ? {} : { peer: formatAddress(other) }),
    ...(broadcast === undefined ? {} : { broadcast: formatAddress(broadcast) }),
    ...(label === undefined ? {} : { label }),
    ...(metric === undefined || metric === 0 ? {} : { metric }),
    ...((flags & wire.IFA_F_NOPREFIXROUTE) === 0 ? {} : { noPrefixRoute: true }),
    ...((flags & wire.IFA_F_NODAD) === 0 ? {} : { noDad: true }),
    ...lifetime(attributes.get(wire.IFA_CACHEINFO)),
  }
}

function lifetime(bytes: Buffer | undefined): Pick<Address, 'validSeconds' | 'preferredSeconds'> {
  const preferredSeconds = readU32(bytes)
  const validSeconds = readU32(bytes?.subarray(4))
  return {
    ...(validSeconds === undefined || validSeconds === wire.FOREVER ? {} : { validSeconds }),
    ...(preferredSeconds === undefined || preferredSeconds === wire.FOREVER ? {} : { preferredSeconds }),
  }
}
