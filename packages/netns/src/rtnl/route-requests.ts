import type { Questions } from '../netlink/channel.ts'
import { NLM_F_CREATE, NLM_F_EXCL } from '../netlink/constants.ts'
import { unlessAlready } from './already.ts'
import { RTM_DELROUTE, RTM_GETROUTE, RTM_NEWROUTE } from './constants.ts'
import { findLink, linkIndex } from './link-requests.ts'
import { decodeRoute, encodeRoute, isRoute, type NewRoute, type Route, type RouteFilter, routeQuery } from './route.ts'

export function getRoutes(channel: Questions, filter: RouteFilter): Route[] {
  return channel
    .dump({ type: RTM_GETROUTE, fixed: routeQuery(filter.family), what: 'List routes' })
    .flatMap(({ body }) => decodeRoute(body) ?? [])
    .filter((route) => filter.table === undefined || route.table === filter.table)
}

export function addRoute(channel: Questions, route: NewRoute): boolean {
  const what = `Add route ${JSON.stringify(route.destination)}`
  const index = route.link === undefined ? undefined : linkIndex(channel, route.link, what)
  const encoded = encodeRoute(route, index, 'add')
  return unlessAlready(
    ['EEXIST'],
    () => channel.ask({ type: RTM_NEWROUTE, flags: NLM_F_CREATE | NLM_F_EXCL, ...encoded, what }),
    // the kernel also says so of a route by another gateway
    () => getRoutes(channel, {}).some((existing) => isRoute(existing, route, index)),
  )
}

export function deleteRoute(channel: Questions, route: NewRoute): boolean {
  const what = `Delete route ${JSON.stringify(route.destination)}`
  const index = route.link === undefined ? undefined : findLink(channel, route.link)?.index
  const encoded = encodeRoute(route, index, 'delete')
  // its routes went with the link
  if (route.link !== undefined && index === undefined) return false
  // ENOENT: of an IPv6 table that exists, as a rule leads to it, and is empty
  return unlessAlready(['ESRCH', 'ENOENT'], () => channel.ask({ type: RTM_DELROUTE, ...encoded, what }))
}
