import type { Link, Route } from '@cni/netns'

/** Links without what the kernel finds out in its own time. */
export const settledLinks = (links: readonly Link[]) => links.map(({ running: _, ...link }) => link)

/** Routes without those that come with the kernel's own addresses of IPv6, in its own time. */
export const settledRoutes = (routes: readonly Route[]): ReadonlySet<Route> =>
  new Set(routes.filter(({ cidr }) => !/^(fe80|ff00):/.test(cidr)))
