import { type Link, type Netns, openRtnl } from '@cni/netns'
import type { Route } from '@cni/types'
import { formatAddress, networkAddress, parsePrefix } from '@cni/types/ip'

/** What the kernel has in a namespace, asked in the words of a result. */
export interface Kernel {
  link(name: string): Link | undefined
  /** On any link. */
  hasAddress(cidr: string): boolean
  /** In any table, or in the one given; through the route's gateway, if it has one. */
  hasRoute(route: Route, table?: number): boolean
}

/** The main table, where routes without a table go. */
export const MAIN_TABLE = 254

const ANY = { ipv4: '0.0.0.0/0', ipv6: '::/0' } as const

/** Looks at a namespace. */
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
          // a route over several gateways has them elsewhere
          (gw === undefined || route.gateway === gw || (route.gateway === undefined && route.linkIndex === undefined)),
      )
    },
  }
}

/** In the kernel's spelling: nothing behind the prefix. */
function destinationOf(dst: string): string {
  const prefix = parsePrefix(dst)
  return prefix === undefined ? dst : `${formatAddress(networkAddress(prefix))}/${prefix.length}`
}
