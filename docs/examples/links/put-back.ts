import { type NetnsTarget, openRtnl } from '@cni/netns'

/**
 * Renames a link and keeps its IPv4 routes. The link must be down during the renaming, and the kernel deletes the
 * routes of a link that goes down. The function reads the routes first and adds them again at the end.
 */
export async function rename(where: NetnsTarget, link: string, name: string) {
  using rtnl = await openRtnl(where)
  const routes = await rtnl.getRoutes({ link, family: 'ipv4', table: 254 })
  const { before } = await rtnl.setLink(link, { up: false, name })
  if (before.up) await rtnl.setLinkUp(name)
  for (const route of routes) await rtnl.addRoute(route)
}
