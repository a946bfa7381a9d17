import { formatAddress } from '@cni/types/ip'
import { parseAddress } from '../ip.ts'
import type { Nexthop } from '../port/arguments.ts'
import type { NewRoute, Route } from '../port/route.ts'
import type { RouteLinks } from './encode.ts'
import { destinationText, type ResolvedRoute, resolveRoute } from './resolve.ts'
import { types } from './wire.ts'

/** True if a route of the kernel has all values that the wanted route gives. */
export function isRoute(route: Route, wanted: NewRoute, links: RouteLinks): boolean {
  const resolved = resolveRoute(wanted, 'add')
  return (
    matchesKey(route, resolved) &&
    numberOf(types, route.type) === resolved.type &&
    route.gateway === normalised(wanted.gateway) &&
    fits(route.linkIndex, links.link) &&
    fits(route.source, normalised(wanted.source)) &&
    fits(route.metric ?? 0, wanted.metric) &&
    fits(route.mtu, wanted.mtu) &&
    fits(route.advMss, wanted.advMss) &&
    fits(route.onlink ?? false, wanted.onlink) &&
    (wanted.nexthops === undefined || sameWays(route.nexthops ?? [], wanted.nexthops, links.nexthops ?? []))
  )
}

function matchesKey(route: Route, resolved: ResolvedRoute): boolean {
  return (
    route.destination === destinationText(resolved) &&
    route.family === resolved.family &&
    route.table === resolved.table
  )
}

function sameWays(there: readonly Nexthop[], wanted: readonly Nexthop[], links: readonly (number | undefined)[]) {
  return (
    there.length === wanted.length &&
    there.every(({ gateway, linkIndex, weight }, at) => {
      const way = wanted[at]
      return gateway === normalised(way?.gateway) && fits(linkIndex, links[at]) && (weight ?? 1) === (way?.weight ?? 1)
    })
  )
}

function fits<T>(value: T | undefined, wanted: T | undefined): boolean {
  return wanted === undefined || value === wanted
}

function numberOf(names: readonly string[], value: string | number): number {
  return typeof value === 'number' ? value : names.indexOf(value)
}

function normalised(address: string | undefined): string | undefined {
  return address === undefined ? undefined : formatAddress(parseAddress(address).bytes)
}
