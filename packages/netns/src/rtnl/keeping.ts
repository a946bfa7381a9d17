import type { Rtnl } from './port/rtnl.ts'

/**
 * Wraps the operations on links, addresses, routes and rules, for a namespace whose handle has the property `kept`. In
 * such a namespace, deletions do nothing and return `deleted: false`.
 */
export function keeping(rtnl: Rtnl): Rtnl {
  const nothing = async () => ({ deleted: false })
  return {
    ...rtnl,
    deleteLink: nothing,
    deleteAddress: nothing,
    deleteRoute: nothing,
    deleteNeighbour: nothing,
    deleteBridgeVlan: nothing,
    deleteQdisc: nothing,
    deleteRedirect: nothing,
    deleteFilter: nothing,
    deleteRule: nothing,
  }
}
