import { type NetnsTarget, openRtnl } from '@cni/netns'

/**
 * Renames a link. A link must be down for that, and the kernel deletes a link's routes when it goes down. The function
 * therefore reads the routes first and adds them again.
 */
export async function rename(where: NetnsTarget, link: string, name: string) {
  using rtnl = await openRtnl(where)
  const routes = await rtnl.getRoutes({ link, family: 'ipv4', table: 254 })
  const { before } = await rtnl.setLink(link, { up: false, name })
  if (before.up) await rtnl.setLinkUp(name)
  for (const route of routes) await rtnl.addRoute(route)
}
