import type { IpFamily } from '@cni/types/ip'
import { networkAddress } from '@cni/types/ip'
import { encodeAttributes } from '../../netlink/encode.ts'
import { formatPrefix, parseAddress, parsePrefix } from '../../rtnl/ip.ts'
import type { Nexthop, RouteFilter } from '../../rtnl/port/arguments.ts'
import type { NewRoute, Route } from '../../rtnl/port/route.ts'
import { decodeRoute } from '../../rtnl/route/decode.ts'
import { encodeRoute, type RouteLinks } from '../../rtnl/route/encode.ts'
import { isRoute } from '../../rtnl/route/match.ts'
import { destinationText, resolveRoute, routeText } from '../../rtnl/route/resolve.ts'
import { leadsOver, sameKey } from './consequences.ts'
import { findDevice, type Namespace, refusal, requireDevice } from './world.ts'

export function listRoutes(netns: Namespace, { family, table, link }: RouteFilter): Route[] {
  const index = link === undefined ? undefined : requireDevice(netns, link, 'List routes').index
  return netns.routes.filter(
    (route) =>
      (family === undefined || route.family === family) &&
      (table === undefined || route.table === table) &&
      (index === undefined || leadsOver(route, index)),
  )
}

export function putRoute(netns: Namespace, wanted: NewRoute, replace = false): boolean {
  const what = `${replace ? 'Replace' : 'Add'} route ${routeText(wanted)}`
  const { family, type } = resolveRoute(wanted, 'add')
  const links = linksOf(netns, wanted, what)
  encodeRoute(wanted, links, 'add')
  const ways = wanted.nexthops?.map((way, at) => ({ ...way, linkIndex: links.nexthops?.[at] })) ?? [
    { gateway: wanted.gateway, linkIndex: links.link, onlink: wanted.onlink },
  ]
  // Unicast and local routes need a link. Routes that refuse packets, such as blackhole routes, need no link.
  const resolved = type === 1 || type === 2 ? ways.map((way) => leading(netns, way, family, what)) : ways
  if (wanted.source !== undefined && !netns.addresses.some(({ address }) => sameAddress(address, wanted.source))) {
    throw refusal(what, 'EINVAL', 'Invalid prefsrc address')
  }
  const found = {
    link: wanted.nexthops ? undefined : resolved[0]?.linkIndex,
    nexthops: resolved.map((way) => way.linkIndex),
  }
  // Encodes and decodes the fake kernel's route, to get the values of the real kernel.
  const { fixed, attributes } = encodeRoute(wanted, found, 'add')
  const read = decodeRoute(encodeAttributes(attributes, fixed))
  if (read === undefined) return false
  const route: Route = family === 'ipv6' ? { ...read, scope: 'universe', metric: read.metric ?? 1024 } : read
  const clash = netns.routes.findIndex((each) => sameKey(each, route))
  if (clash === -1) netns.routes.push(route)
  else if (replace) netns.routes[clash] = route
  else if (netns.routes.some((each) => isRoute(each, wanted, found))) return false
  else throw refusal(what, 'EEXIST', 'a route to the same destination exists with other values')
  return true
}

export function dropRoute(netns: Namespace, wanted: NewRoute): boolean {
  const resolved = resolveRoute(wanted, 'delete')
  const indexOf = ({ link, linkIndex }: Nexthop) => (link === undefined ? linkIndex : findDevice(netns, link)?.index)
  const index = indexOf(wanted)
  encodeRoute(wanted, { link: index, nexthops: wanted.nexthops?.map(indexOf) }, 'delete')
  if (wanted.link !== undefined && index === undefined) return false
  const at = netns.routes.findIndex(
    (route) =>
      route.family === resolved.family &&
      route.destination === destinationText(resolved) &&
      route.table === resolved.table &&
      isRoute(
        route,
        { ...wanted, type: wanted.type ?? route.type, gateway: wanted.gateway ?? route.gateway },
        { link: index },
      ),
  )
  if (at === -1) return false
  netns.routes.splice(at, 1)
  return true
}

/** Finds the link of a route's next hop. Throws if the link is down or does not reach the gateway. */
function leading(netns: Namespace, way: Nexthop, family: IpFamily, what: string): Nexthop {
  const { gateway, linkIndex, onlink } = way
  const index = linkIndex ?? (gateway === undefined ? undefined : linkTowards(netns, gateway))
  if (gateway !== undefined && !onlink && (index === undefined || !isNear(netns, gateway, index))) {
    throw family === 'ipv4'
      ? refusal(what, 'ENETUNREACH', 'Nexthop has invalid gateway')
      : refusal(what, 'EHOSTUNREACH')
  }
  if (index === undefined) throw refusal(what, 'ENODEV', 'Nexthop device required')
  const device = requireDevice(netns, index, what)
  if (!device.settings.up) throw refusal(what, 'ENETDOWN', 'Nexthop device is not up')
  return { ...way, linkIndex: index }
}

function linkTowards(netns: Namespace, gateway: string): number | undefined {
  return netns.routes.find((route) => route.linkIndex !== undefined && isConnected(route, gateway))?.linkIndex
}

function isNear(netns: Namespace, gateway: string, index: number): boolean {
  const isLinkLocal = gateway.toLowerCase().startsWith('fe80:')
  return isLinkLocal || netns.routes.some((route) => route.linkIndex === index && isConnected(route, gateway))
}

function isConnected({ family, gateway, destination, table, type }: Route, address: string): boolean {
  const wanted = parseAddress(address)
  if (gateway !== undefined || table !== 254 || type !== 'unicast' || family !== wanted.family) return false
  if (destination === 'default') return true
  const prefix = parsePrefix(destination)
  const { bytes } = wanted
  return formatPrefix({ ...prefix, bytes: networkAddress({ bytes, length: prefix.length }) }) === formatPrefix(prefix)
}

const sameAddress = (a: string, b: string | undefined): boolean =>
  b !== undefined && formatPrefix(parseAddress(a)) === formatPrefix(parseAddress(b))

function linksOf(netns: Namespace, route: NewRoute, what: string): RouteLinks {
  const index = ({ link, linkIndex }: Nexthop) => {
    const ref = link ?? linkIndex
    return ref === undefined ? undefined : requireDevice(netns, ref, what).index
  }
  return { link: index(route), nexthops: route.nexthops?.map(index) }
}
