import type { IpFamily } from '@cni/types/ip'
import { networkAddress } from '@cni/types/ip'
import { NetnsError } from '../../handle/netns-error.ts'
import { type Attribute, encodeAttributes } from '../../netlink/encode.ts'
import { u32 } from '../../netlink/values.ts'
import { checkInteger } from '../check.ts'
import { familyNumber, familyQuery, parseAddress } from '../ip.ts'
import type { Nexthop } from '../port/arguments.ts'
import type { NewRoute } from '../port/route.ts'
import { resolveRoute, routeText } from './resolve.ts'
import * as wire from './wire.ts'

/** Indexes of the links that a route uses. */
export interface RouteLinks {
  readonly link?: number | undefined
  /** Link indexes of a multipath route's next hops, in the order of the next hops. */
  readonly nexthops?: readonly (number | undefined)[] | undefined
}

/** Encodes the fixed part of a netlink request that lists routes. */
export const routeQuery = (family: IpFamily | undefined): Uint8Array => familyQuery(wire.RTMSG, family)

/** Encodes a netlink request that adds or deletes a route. Throws `NetnsError('INVALID')`. */
export function encodeRoute(
  route: NewRoute,
  links: RouteLinks,
  purpose: 'add' | 'delete',
): { fixed: Uint8Array; attributes: Attribute[] } {
  const { family, destination, table, type, scope } = resolveRoute(route, purpose)
  const { nexthops = [], gateway, source, metric } = route
  if (nexthops.length > 0 && (gateway !== undefined || links.link !== undefined)) {
    throw new NetnsError(
      'INVALID',
      `The route to ${routeText(route)} has nexthops: gateway and link belong to each of them`,
    )
  }
  const protocol = checkInteger(route.protocol ?? (purpose === 'add' ? wire.RTPROT_BOOT : 0), 0, 255, 'protocol')
  const fixed = Buffer.alloc(wire.RTMSG)
  fixed[0] = familyNumber(family)
  fixed[1] = destination?.length ?? 0
  // The field for a route's table has 8 bits; RTA_TABLE contains the full number.
  fixed[4] = table < 256 ? table : 0
  fixed[5] = protocol
  fixed[6] = scope
  fixed[7] = type
  fixed.writeUInt32LE(route.onlink ? wire.RTNH_F_ONLINK : 0, 8)

  const attributes: Attribute[] = [[wire.RTA_TABLE, u32(table)]]
  if (destination !== undefined) attributes.push([wire.RTA_DST, networkAddress(destination)])
  if (gateway !== undefined) attributes.push([wire.RTA_GATEWAY, parseAddress(gateway).bytes])
  if (links.link !== undefined) attributes.push([wire.RTA_OIF, u32(links.link)])
  if (source !== undefined) attributes.push([wire.RTA_PREFSRC, parseAddress(source).bytes])
  if (metric !== undefined) attributes.push([wire.RTA_PRIORITY, u32(checkInteger(metric, 0, 0xffffffff, 'metric'))])
  const metrics = encodeMetrics(route)
  if (metrics.length > 0) attributes.push([wire.RTA_METRICS, metrics])
  if (nexthops.length > 0) attributes.push([wire.RTA_MULTIPATH, encodeNexthops(nexthops, links)])
  for (const [number, value] of route.other ?? []) attributes.push([checkInteger(number, 1, 0x3fff, 'other'), value])
  return { fixed, attributes }
}

function encodeMetrics({ mtu, advMss }: NewRoute): Attribute[] {
  const metrics: Attribute[] = []
  if (mtu !== undefined) metrics.push([wire.RTAX_MTU, u32(checkInteger(mtu, 0, 0xffffffff, 'mtu'))])
  if (advMss !== undefined) metrics.push([wire.RTAX_ADVMSS, u32(checkInteger(advMss, 0, 0xffffffff, 'advMss'))])
  return metrics
}

/** Encodes the next hops of a multipath route as rtnexthop structures. */
function encodeNexthops(nexthops: readonly Nexthop[], { nexthops: indexes = [] }: RouteLinks): Uint8Array {
  return Buffer.concat(
    nexthops.map(({ gateway, weight = 1, onlink }, at) => {
      const fixed = Buffer.alloc(wire.RTNEXTHOP)
      fixed[2] = onlink ? wire.RTNH_F_ONLINK : 0
      fixed[3] = checkInteger(weight, 1, 256, 'weight') - 1
      fixed.writeInt32LE(indexes[at] ?? 0, 4)
      const attributes: Attribute[] = gateway === undefined ? [] : [[wire.RTA_GATEWAY, parseAddress(gateway).bytes]]
      const bytes = encodeAttributes(attributes, fixed)
      bytes.writeUInt16LE(bytes.length, 0)
      return bytes
    }),
  )
}
