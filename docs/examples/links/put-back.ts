import { type NetnsTarget, openRtnl } from '@cni/netns'

/** Renames a link. Restores its IPv4 routes, because the kernel deletes the routes of a link that is down. */
export async function rename(where: NetnsTarget, link: string, name: string) {
  using rtnl = await openRtnl(where)
  const routes = await rtnl.getRoutes({ link, family: 'ipv4', table: 254 })
  const { before } = await rtnl.setLink(link, { up: false, name })
  if (before.up) await rtnl.setLinkUp(name)
  for (const route of routes) await rtnl.addRoute(route)
}
