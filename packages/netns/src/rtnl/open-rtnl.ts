import { placeOf, type Where } from '../handle/where.ts'
import { openReviving, openTransport } from './open-transport.ts'
import { rtnlOver } from './over-transport.ts'
import type { Rtnl } from './rtnl.ts'
import { undoing } from './undoing.ts'

/**
 * Opens an rtnetlink socket inside a namespace. The socket stays there: use it from outside, then close it.
 * Without FFI, and for `'host'` alone, the package `netlink` does it where it is installed.
 *
 * With the context of a call, every change registers its inverse: what was added is deleted, what was deleted (links
 * excepted) is added, what was set is set back, when a later step of ADD fails. Closed (`using` does that), it still
 * serves inverse steps, yours included; `openRtnl({ ...c, netns: 'host' })` does the same for the node's namespace.
 *
 * @example
 * using rtnl = await openRtnl(pod)
 * await rtnl.setLinkUp('lo')
 * const links = await rtnl.getLinks()
 */
export async function openRtnl(where: Where): Promise<Rtnl> {
  const { netns, undo } = placeOf(where, 'openRtnl')
  if (undo === undefined) return rtnlOver(await openTransport(netns), netns)
  return undoing(rtnlOver(await openReviving(netns), netns), { netns, undo, open: openRtnl })
}
