import type { Link, Route } from '@cni/netns'

/** Copies links without the member `running`. The kernel updates `running` only some time after a change. */
export const settledLinks = (links: readonly Link[]) => links.map(({ running: _, ...link }) => link)

/**
 * Drops the routes that the kernel adds some time later for IPv6 addresses: link-local and multicast routes, and the
 * local route of each address. The kernel adds the local route after duplicate address detection, which takes up to a
 * second.
 */
export const settledRoutes = (routes: readonly Route[]): ReadonlySet<Route> =>
  new Set(routes.filter(({ cidr, table }) => !/^(fe80|ff00):/.test(cidr) && !(table === LOCAL && cidr.includes(':'))))

const LOCAL = 255
