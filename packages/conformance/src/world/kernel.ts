import { type Link, type Netns, openRtnl } from '@cni/netns'
import type { Route } from '@cni/types'
import { formatAddress, networkAddress, parsePrefix } from '@cni/types/ip'

/** Links, addresses and routes that the kernel has in a namespace, for a comparison with a plugin's result. */
export interface Kernel {
  link(name: string): Link | undefined
  /** True if any interface in the namespace has the address. */
  hasAddress(cidr: string): boolean
  /** True if a routing table of the namespace has the route. Default: any table. */
  hasRoute(route: Route, table?: number): boolean
}

/** Number of the kernel's main routing table. The kernel adds routes to this table by default. */
export const MAIN_TABLE = 254

const ANY = { ipv4: '0.0.0.0/0', ipv6: '::/0' } as const

/** Reads links, addresses and routes of a namespace from the kernel. */
export async function kernelOf(where: Netns): Promise<Kernel> {
  using rtnl = await openRtnl(where)
  const [links, addresses, routes] = await Promise.all([rtnl.getLinks(), rtnl.getAddresses(), rtnl.getRoutes()])
  const cidrs = new Set(addresses.map(({ cidr }) => cidr))
  return {
    link: (name) => links.find((link) => link.name === name),
    hasAddress: (cidr) => cidrs.has(cidr),
    hasRoute({ dst, gw }, table) {
      const wanted = destinationOf(dst)
      return routes.some(
        (route) =>
          route.type === 'unicast' &&
          (table === undefined || route.table === table) &&
          (route.destination === 'default' ? ANY[route.family] : route.destination) === wanted &&
          // Accepts any gateway for a multipath route, because this package does not read the route's gateways.
          (gw === undefined || route.gateway === gw || (route.gateway === undefined && route.linkIndex === undefined)),
      )
    },
  }
}

/** Destination of a route as the kernel prints it: host bits are zero. */
function destinationOf(dst: string): string {
  const prefix = parsePrefix(dst)
  return prefix === undefined ? dst : `${formatAddress(networkAddress(prefix))}/${prefix.length}`
}
