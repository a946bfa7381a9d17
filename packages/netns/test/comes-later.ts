import type { Link, Route } from '@cni/netns'

/** Links without what the kernel finds out in its own time. */
export const settledLinks = (links: readonly Link[]) => links.map(({ running: _, ...link }) => link)

/**
 * Routes without those that come with addresses of IPv6 in the kernel's own time: with its own, and to an address itself once
 * nobody else was found to have it (DAD), which may take a second.
 */
export const settledRoutes = (routes: readonly Route[]): ReadonlySet<Route> =>
  new Set(routes.filter(({ cidr, table }) => !/^(fe80|ff00):/.test(cidr) && !(table === LOCAL && cidr.includes(':'))))

const LOCAL = 255
