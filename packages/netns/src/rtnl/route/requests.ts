import type { RequestChannel } from '../../netlink/channel.ts'
import { NLM_F_CREATE, NLM_F_EXCL, NLM_F_REPLACE } from '../../netlink/constants.ts'
import { unlessAlready } from '../already.ts'
import { RTM_DELROUTE, RTM_GETROUTE, RTM_NEWROUTE } from '../constants.ts'
import { findLink, linkIndex } from '../link/requests.ts'
import type { Nexthop, RouteFilter } from '../port/arguments.ts'
import type { NewRoute, Route } from '../port/route.ts'
import { decodeRoute } from './decode.ts'
import { encodeRoute, type RouteLinks, routeQuery } from './encode.ts'
import { isRoute } from './match.ts'
import { resolveRoute, routeText } from './resolve.ts'

export function getRoutes(channel: RequestChannel, { family, table, link }: RouteFilter): Route[] {
  const index = link === undefined ? undefined : linkIndex(channel, link, 'List routes')
  return channel
    .dump({ type: RTM_GETROUTE, fixed: routeQuery(family), what: 'List routes' })
    .flatMap(({ body }) => decodeRoute(body) ?? [])
    .filter(
      (route) =>
        (table === undefined || route.table === table) &&
        (index === undefined || [route, ...(route.nexthops ?? [])].some(({ linkIndex }) => linkIndex === index)),
    )
}

export function addRoute(channel: RequestChannel, route: NewRoute): boolean {
  const what = `Add route ${routeText(route)}`
  const links = linksOf(channel, route, what)
  const encoded = encodeRoute(route, links, 'add')
  return unlessAlready(
    ['EEXIST'],
    () => channel.ask({ type: RTM_NEWROUTE, flags: NLM_F_CREATE | NLM_F_EXCL, ...encoded, what }),
    // Compares the existing routes with the wanted route after EEXIST. The kernel reports EEXIST even if the gateways
    // differ.
    () => {
      const isThere = getRoutes(channel, {}).some((existing) => isRoute(existing, route, links))
      return isThere ? undefined : 'a route to the same destination exists with other values'
    },
  )
}

/** Adds a route, or replaces the existing route with the same destination and metric. */
export function replaceRoute(channel: RequestChannel, route: NewRoute): void {
  const what = `Replace route ${routeText(route)}`
  const encoded = encodeRoute(route, linksOf(channel, route, what), 'add')
  channel.ask({ type: RTM_NEWROUTE, flags: NLM_F_CREATE | NLM_F_REPLACE, ...encoded, what })
}

export function deleteRoute(channel: RequestChannel, route: NewRoute): boolean {
  const what = `Delete route ${routeText(route)}`
  resolveRoute(route, 'delete')
  const links = {
    link: indexIfThere(channel, route),
    nexthops: route.nexthops?.map((way) => indexIfThere(channel, way)),
  }
  const encoded = encodeRoute(route, links, 'delete')
  // The kernel has removed the route together with its link. Returns false, because there is no route to delete.
  if (route.link !== undefined && links.link === undefined) return false
  // The kernel's errors for a missing route, an empty IPv6 table and an unknown link index.
  return unlessAlready(['ESRCH', 'ENOENT', 'ENODEV'], () => channel.ask({ type: RTM_DELROUTE, ...encoded, what }))
}

function linksOf(channel: RequestChannel, route: NewRoute, what: string): RouteLinks {
  resolveRoute(route, 'add')
  const index = ({ link, linkIndex: known }: Nexthop) => (link === undefined ? known : linkIndex(channel, link, what))
  return { link: index(route), nexthops: route.nexthops?.map(index) }
}

function indexIfThere(channel: RequestChannel, { link, linkIndex: known }: Nexthop): number | undefined {
  return link === undefined ? known : findLink(channel, link)?.index
}
