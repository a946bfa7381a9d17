import type { Rtnl } from './port/rtnl.ts'

/** Returns rtnetlink operations whose deletions do nothing, for a namespace with `kept` set. */
export function withoutDeletions(rtnl: Rtnl): Rtnl {
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
