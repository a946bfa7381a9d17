import { openRtnl } from '@cni/netns'
import { definePlugin } from '@cni/skel'

const MAIN = 254
/** Number of the routing table for an interface of the pod. */
const tableOf = (linkIndex: number): number => 1000 + linkIndex

/** Source-based routing: packets from an interface's address use only this interface's routes. */
export const sbr = definePlugin({
  name: 'small-sbr',
  chained: true,
  removal: 'own', // each interface of a pod has rules of its own: DEL keeps the rules of other interfaces
  async add(c) {
    using rtnl = await openRtnl(c)
    for (const { address, family, linkIndex } of await rtnl.getAddresses({ link: c.ifName, scope: 'universe' })) {
      await rtnl.addRule({ family, table: tableOf(linkIndex), from: `${address}/${family === 'ipv4' ? 32 : 128}` })
    }
    for (const route of await rtnl.getRoutes({ link: c.ifName, table: MAIN })) {
      await rtnl.addRoute({ ...route, table: tableOf(route.linkIndex ?? 0) })
      if (route.gateway !== undefined) await rtnl.deleteRoute(route)
    }
    return c.prevResult
  },
  async del(c) {
    if (c.netns === undefined) return
    using rtnl = await openRtnl(c.netns)
    const link = await rtnl.getLink(c.ifName)
    if (link === undefined) return
    for (const rule of await rtnl.getRules({ table: tableOf(link.index) })) await rtnl.deleteRule(rule)
  },
})
