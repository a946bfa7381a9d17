import type { Link, Route } from '@cni/netns'

/** Copies links without the member `running`. The kernel updates `running` only some time after a change. */
export const settledLinks = (links: readonly Link[]) => links.map(({ running: _, ...link }) => link)

/** Omits the routes that the kernel adds only after duplicate detection of an IPv6 address. */
export const settledRoutes = (routes: readonly Route[]): ReadonlySet<Route> =>
  new Set(routes.filter(({ cidr, table }) => !/^(fe80|ff00):/.test(cidr) && !(table === LOCAL && cidr.includes(':'))))

const LOCAL = 255
