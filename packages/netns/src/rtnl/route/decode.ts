import { formatAddress } from '@cni/types/ip'
import { attributeMap, decodeAttributes } from '../../netlink/decode.ts'
import { readU32 } from '../../netlink/values.ts'
import { constantName } from '../constant-name.ts'
import { familyName } from '../ip.ts'
import type { Nexthop, RouteAttribute } from '../port/arguments.ts'
import type { Route } from '../port/route.ts'
import * as wire from './wire.ts'

const NAMED = new Set([
  wire.RTA_DST,
  wire.RTA_OIF,
  wire.RTA_GATEWAY,
  wire.RTA_PRIORITY,
  wire.RTA_PREFSRC,
  wire.RTA_METRICS,
  wire.RTA_MULTIPATH,
  wire.RTA_TABLE,
  // Route attributes that the kernel reports but refuses in a request that adds the route.
  wire.RTA_CACHEINFO,
  wire.RTA_PAD,
  wire.RTA_UID,
])

/** Decodes the route in a netlink message. Returns `undefined` for a family other than IPv4 and IPv6. */
export function decodeRoute(body: Buffer): Route | undefined {
  const attributes = attributeMap(body, wire.RTMSG)
  const family = familyName(body.readUInt8(0))
  if (family === undefined) return undefined
  const destination = attributes.get(wire.RTA_DST)
  const gateway = attributes.get(wire.RTA_GATEWAY)
  const source = attributes.get(wire.RTA_PREFSRC)
  const linkIndex = readU32(attributes.get(wire.RTA_OIF))
  const metric = readU32(attributes.get(wire.RTA_PRIORITY))
  const nexthops = attributes.get(wire.RTA_MULTIPATH)
  const scope = body.readUInt8(6)
  const type = body.readUInt8(7)
  const prefix = destination === undefined ? undefined : `${formatAddress(destination)}/${body.readUInt8(1)}`
  return {
    family,
    destination: prefix ?? 'default',
    cidr: prefix ?? (family === 'ipv4' ? '0.0.0.0/0' : '::/0'),
    table: readU32(attributes.get(wire.RTA_TABLE)) ?? body.readUInt8(4),
    type: wire.types[type] ?? type,
    scope: constantName(wire.scopeNumbers, scope) ?? scope,
    protocol: body.readUInt8(5),
    ...(gateway === undefined ? {} : { gateway: formatAddress(gateway) }),
    ...(linkIndex === undefined ? {} : { linkIndex }),
    ...(source === undefined ? {} : { source: formatAddress(source) }),
    ...(metric === undefined ? {} : { metric }),
    // Each next hop of a multipath route has its own flag `onlink`.
    ...(nexthops === undefined && (body.readUInt32LE(8) & wire.RTNH_F_ONLINK) !== 0 ? { onlink: true } : {}),
    ...decodeMetrics(attributes.get(wire.RTA_METRICS)),
    ...(nexthops === undefined ? {} : { nexthops: decodeNexthops(nexthops) }),
    ...others(attributes),
  }
}

function decodeMetrics(bytes: Buffer | undefined): Pick<Route, 'mtu' | 'advMss'> {
  if (bytes === undefined) return {}
  const metrics = attributeMap(bytes)
  const mtu = readU32(metrics.get(wire.RTAX_MTU))
  const advMss = readU32(metrics.get(wire.RTAX_ADVMSS))
  return { ...(mtu === undefined ? {} : { mtu }), ...(advMss === undefined ? {} : { advMss }) }
}

function decodeNexthops(bytes: Buffer): Nexthop[] {
  const nexthops: Nexthop[] = []
  for (let at = 0; at + wire.RTNEXTHOP <= bytes.length; ) {
    const length = bytes.readUInt16LE(at)
    if (length < wire.RTNEXTHOP || at + length > bytes.length) break
    const attributes = decodeAttributes(bytes.subarray(at, at + length), wire.RTNEXTHOP)
    const gateway = attributes.find(([type]) => type === wire.RTA_GATEWAY)?.[1]
    const onlink = ((bytes[at + 2] ?? 0) & wire.RTNH_F_ONLINK) !== 0
    nexthops.push({
      linkIndex: bytes.readInt32LE(at + 4),
      weight: (bytes[at + 3] ?? 0) + 1,
      ...(gateway === undefined ? {} : { gateway: formatAddress(gateway) }),
      ...(onlink ? { onlink } : {}),
    })
    at += (length + 3) & ~3
  }
  return nexthops
}

function others(attributes: ReadonlyMap<number, Buffer>): { other?: readonly RouteAttribute[] } {
  // The kernel reports a router preference for every IPv6 route. Omits the default preference, medium.
  const isDefault = (type: number, value: Buffer): boolean => type === wire.RTA_PREF && value[0] === 0
  const other = [...attributes].filter(([type, value]) => !NAMED.has(type) && !isDefault(type, value))
  return other.length === 0 ? {} : { other }
}
