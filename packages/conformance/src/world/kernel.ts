import { type Link, type Netns, openRtnl } from '@cni/netns'
import type { Route } from '@cni/types'
import { formatAddress, networkAddress, parsePrefix } from '@cni/types/ip'

/** Addresses and routes that the kernel has in a namespace, to compare with a result. */
export interface Kernel {
  link(name: string): Link | undefined
  /** True if any link of the namespace has the address. */
  hasAddress(cidr: string): boolean
  /**
   * True if the given table has the route; without `table`, any table. Compares gateways only if the given route has a
   * gateway.
   */
  hasRoute(route: Route, table?: number): boolean
}

/** Number of the main routing table, the default for routes. */
export const MAIN_TABLE = 254

const ANY = { ipv4: '0.0.0.0/0', ipv6: '::/0' } as const

/** Reads addresses and routes of a namespace. */
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
          // a route with several gateways lists its gateways in another attribute
          (gw === undefined || route.gateway === gw || (route.gateway === undefined && route.linkIndex === undefined)),
      )
    },
  }
}

/** Destination in the kernel's notation, with zero host bits. */
function destinationOf(dst: string): string {
  const prefix = parsePrefix(dst)
  return prefix === undefined ? dst : `${formatAddress(networkAddress(prefix))}/${prefix.length}`
}
