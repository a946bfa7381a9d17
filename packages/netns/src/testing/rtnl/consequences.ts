import type { IpFamily } from '@cni/types/ip'
import { formatPrefix, parsePrefix } from '../../rtnl/ip.ts'
import type { Address } from '../../rtnl/port/address.ts'
import type { Route } from '../../rtnl/port/route.ts'
import type { Device, Namespace } from './world.ts'

const KERNEL = 2

/** Sets a link of the fake kernel up: adds the routes to the networks of its addresses. */
export function bringUp({ netns, index }: Device): void {
  for (const address of netns.addresses) if (address.linkIndex === index) connect(netns, address)
}

/** Sets a link of the fake kernel down: removes its routes and IPv6 addresses. */
export function bringDown({ netns, index }: Device): void {
  netns.routes = netns.routes.filter((route) => route.table === 255 || !leadsOver(route, index))
  netns.addresses = netns.addresses.filter(({ linkIndex, family }) => linkIndex !== index || family === 'ipv4')
  netns.neighbours = netns.neighbours.filter(({ linkIndex, state }) => linkIndex !== index || state === 'permanent')
}

/** Removes the addresses, routes and other objects that belong to a link of the fake kernel. */
export function forget({ netns, index }: Device): void {
  const isOther = ({ linkIndex }: { readonly linkIndex: number }): boolean => linkIndex !== index
  netns.addresses = netns.addresses.filter(isOther)
  netns.routes = netns.routes.filter((route) => !leadsOver(route, index))
  netns.neighbours = netns.neighbours.filter(isOther)
  netns.qdiscs = netns.qdiscs.filter(isOther)
  netns.redirects = netns.redirects.filter((redirect) => isOther(redirect) && redirect.to !== index)
  netns.vlans = netns.vlans.filter(isOther)
}

/** Adds the routes that the kernel adds for an address of a link that is up. */
export function connect(netns: Namespace, address: Address): void {
  for (const route of routesOf(address))
    if (!netns.routes.some((each) => sameKey(each, route))) netns.routes.push(route)
}

/** Removes the routes that the kernel added for an address. */
export function disconnect(netns: Namespace, address: Address): void {
  const gone = routesOf(address)
  netns.routes = netns.routes.filter((route) => !gone.some((each) => sameKey(each, route) && route.protocol === KERNEL))
}

/** True if a route of the fake kernel sends packets through a link. */
export function leadsOver({ linkIndex, nexthops = [] }: Route, index: number): boolean {
  return linkIndex === index || nexthops.some((way) => way.linkIndex === index)
}

function routesOf({ family, cidr, address, linkIndex, noPrefixRoute, metric, peer }: Address): Route[] {
  const network = formatPrefix(parsePrefix(peer === undefined ? cidr : `${peer}/${cidr.split('/')[1]}`))
  const own = formatPrefix(parsePrefix(address))
  const common = { family, linkIndex, protocol: KERNEL }
  const isNetwork = network !== own && !noPrefixRoute
  return [
    {
      ...common,
      ...to(own),
      table: 255,
      type: 'local',
      scope: family === 'ipv4' ? 'host' : 'universe',
      ...prefer(family, address),
      ...metricOf(family, 0),
    },
    ...(isNetwork
      ? [
          {
            ...common,
            ...to(network),
            table: 254,
            type: 'unicast',
            scope: family === 'ipv4' ? 'link' : 'universe',
            ...prefer(family, address),
            ...metricOf(family, metric ?? 256, metric),
          } as const,
        ]
      : []),
  ]
}

const to = (prefix: string) => ({ destination: prefix, cidr: prefix })
const prefer = (family: IpFamily, source: string) => (family === 'ipv4' ? { source } : {})
const metricOf = (family: IpFamily, metric: number, said?: number) =>
  family === 'ipv6' ? { metric } : said === undefined ? {} : { metric: said }

/** True if two routes conflict: the kernel accepts only one of them. */
export function sameKey(a: Route, b: Route): boolean {
  return (
    a.family === b.family &&
    a.destination === b.destination &&
    a.table === b.table &&
    (a.metric ?? 0) === (b.metric ?? 0)
  )
}
