import type { Rtnl } from './port/rtnl.ts'

/** The same operations for a namespace whose handle is `kept`: nothing is deleted, and every answer says so. */
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
