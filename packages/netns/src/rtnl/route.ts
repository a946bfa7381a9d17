import { formatAddress, networkAddress } from '@cni/types/ip'
import { NetnsError } from '../handle/netns-error.ts'
import { attributeMap } from '../netlink/decode.ts'
import type { Attribute } from '../netlink/encode.ts'
import { readU32, u32 } from '../netlink/values.ts'
import { RT_TABLE_LOCAL, RT_TABLE_MAIN } from './constants.ts'
import { familyName, familyNumber, familyQuery, formatPrefix, type IpFamily, parseAddress, parsePrefix } from './ip.ts'

const types = ['unspec', 'unicast', 'local', 'broadcast', 'anycast', 'multicast', 'blackhole', 'unreachable'] as const
const moreTypes = ['prohibit', 'throw', 'nat'] as const
const scopeNumbers = { universe: 0, site: 200, link: 253, host: 254, nowhere: 255 } as const

/** What happens to a packet that takes the route. */
export type RouteType = (typeof types)[number] | (typeof moreTypes)[number]
/** How far away the destination is. */
export type RouteScope = keyof typeof scopeNumbers

/** A route to add or delete. */
export interface NewRoute {
  /** A prefix, an address, or `default` (then say the family, or a gateway). */
  readonly destination: string
  readonly family?: IpFamily | undefined
  readonly gateway?: string | undefined
  /** Name of the link. */
  readonly link?: string | undefined
  /** Preferred source address. */
  readonly source?: string | undefined
  /** Default: the main table; the local one for type `local`. */
  readonly table?: number | undefined
  /** Default: `unicast`. */
  readonly type?: RouteType | undefined
  /** Default: `host` for type `local`, `link` without a gateway, else `universe`. The kernel ignores it for IPv6. */
  readonly scope?: RouteScope | undefined
  readonly metric?: number | undefined
}

/** A route of the kernel. */
export interface Route {
  readonly family: IpFamily
  /** A prefix, or `default`. */
  readonly destination: string
  readonly gateway?: string
  readonly linkIndex?: number
  readonly source?: string
  readonly table: number
  readonly type: RouteType | number
  readonly scope: RouteScope | number
  readonly metric?: number
  /** Who made it: 2 kernel, 3 boot, 4 static. */
  readonly protocol: number
}

/** Which routes to list. */
export interface RouteFilter {
  readonly family?: IpFamily
  readonly table?: number
}

const RTMSG = 12
const RTPROT_BOOT = 3

const RTA_DST = 1
const RTA_OIF = 4
const RTA_GATEWAY = 5
const RTA_PRIORITY = 6
const RTA_PREFSRC = 7
const RTA_TABLE = 15

/** The fixed part that asks for routes. */
export const routeQuery = (family: IpFamily | undefined): Uint8Array => familyQuery(RTMSG, family)

/** The fixed part and attributes of a route. Throws `NetnsError('INVALID')`. */
export function encodeRoute(
  route: NewRoute,
  linkIndex: number | undefined,
  purpose: 'add' | 'delete',
): { fixed: Uint8Array; attributes: Attribute[] } {
  // To delete, what is not said matches anything.
  const type = route.type ?? (purpose === 'add' ? 'unicast' : 'unspec')
  const gateway = route.gateway === undefined ? undefined : parseAddress(route.gateway)
  const source = route.source === undefined ? undefined : parseAddress(route.source)
  const destination = route.destination === 'default' ? undefined : parsePrefix(route.destination)
  const family = familyOf(route)
  for (const other of [route.family, gateway?.family, source?.family]) {
    if (other !== undefined && other !== family) {
      throw new NetnsError('INVALID', `The route to ${route.destination} mixes ${family} and ${other}`)
    }
  }
  const table = tableOf(route, type)
  const fixed = Buffer.alloc(RTMSG)
  fixed[0] = familyNumber(family)
  fixed[1] = destination?.length ?? 0
  // one byte here, all 32 bits in RTA_TABLE
  fixed[4] = table < 256 ? table : 0
  fixed[5] = purpose === 'add' ? RTPROT_BOOT : 0
  fixed[6] = scopeNumbers[route.scope ?? (purpose === 'add' ? defaultScope(type, gateway !== undefined) : 'nowhere')]
  fixed[7] = [...types, ...moreTypes].indexOf(type)

  const attributes: Attribute[] = [[RTA_TABLE, u32(table)]]
  if (destination !== undefined) attributes.push([RTA_DST, networkAddress(destination)])
  if (gateway !== undefined) attributes.push([RTA_GATEWAY, gateway.bytes])
  if (linkIndex !== undefined) attributes.push([RTA_OIF, u32(linkIndex)])
  if (source !== undefined) attributes.push([RTA_PREFSRC, source.bytes])
  if (route.metric !== undefined) attributes.push([RTA_PRIORITY, u32(route.metric)])
  return { fixed, attributes }
}

/** Is the kernel's route the wanted one, in all that was said about it? */
export function isRoute(route: Route, wanted: NewRoute, linkIndex: number | undefined): boolean {
  const type = wanted.type ?? 'unicast'
  return (
    route.destination ===
      (wanted.destination === 'default' ? 'default' : formatPrefix(parsePrefix(wanted.destination))) &&
    route.family === familyOf(wanted) &&
    route.table === tableOf(wanted, type) &&
    route.type === type &&
    route.gateway === normalised(wanted.gateway) &&
    (linkIndex === undefined || route.linkIndex === linkIndex) &&
    (wanted.source === undefined || route.source === normalised(wanted.source)) &&
    (wanted.metric === undefined || (route.metric ?? 0) === wanted.metric)
  )
}

/** A route message of the kernel; `undefined` for another family. */
export function decodeRoute(body: Buffer): Route | undefined {
  const attributes = attributeMap(body, RTMSG)
  const family = familyName(body.readUInt8(0))
  if (family === undefined) return undefined
  const destination = attributes.get(RTA_DST)
  const gateway = attributes.get(RTA_GATEWAY)
  const source = attributes.get(RTA_PREFSRC)
  const linkIndex = readU32(attributes.get(RTA_OIF))
  const metric = readU32(attributes.get(RTA_PRIORITY))
  const scope = body.readUInt8(6)
  const type = body.readUInt8(7)
  return {
    family,
    destination: destination === undefined ? 'default' : `${formatAddress(destination)}/${body.readUInt8(1)}`,
    table: readU32(attributes.get(RTA_TABLE)) ?? body.readUInt8(4),
    type: [...types, ...moreTypes][type] ?? type,
    scope: scopeName(scope),
    protocol: body.readUInt8(5),
    ...(gateway === undefined ? {} : { gateway: formatAddress(gateway) }),
    ...(linkIndex === undefined ? {} : { linkIndex }),
    ...(source === undefined ? {} : { source: formatAddress(source) }),
    ...(metric === undefined ? {} : { metric }),
  }
}

// as `ip route` chooses
function defaultScope(type: RouteType, hasGateway: boolean): RouteScope {
  if (type === 'local' || type === 'nat') return 'host'
  if (type === 'unicast' || type === 'unspec') return hasGateway ? 'universe' : 'link'
  return type === 'broadcast' || type === 'multicast' || type === 'anycast' ? 'link' : 'universe'
}

function scopeName(number: number): RouteScope | number {
  for (const name of ['universe', 'site', 'link', 'host', 'nowhere'] as const) {
    if (scopeNumbers[name] === number) return name
  }
  return number
}

function familyOf(route: NewRoute): IpFamily {
  if (route.destination !== 'default') return parsePrefix(route.destination).family
  const family = route.gateway === undefined ? route.family : parseAddress(route.gateway).family
  if (family !== undefined) return family
  throw new NetnsError('INVALID', 'A default route without a gateway needs its family: ipv4 or ipv6')
}

function tableOf(route: NewRoute, type: RouteType): number {
  return route.table ?? (type === 'local' ? RT_TABLE_LOCAL : RT_TABLE_MAIN)
}

function normalised(address: string | undefined): string | undefined {
  return address === undefined ? undefined : formatAddress(parseAddress(address).bytes)
}
