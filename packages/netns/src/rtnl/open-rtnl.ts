import { keptIn, type Netns, type NetnsTarget } from '../handle/netns.ts'
import { type NetnsContext, placeOf, type Where } from '../handle/where.ts'
import { keeping } from './keeping.ts'
import { openReviving, openTransport } from './open-transport.ts'
import { rtnlOver } from './over-transport.ts'
import type { Link, NewLink } from './port/link.ts'
import type { Rtnl } from './port/rtnl.ts'
import { undoing } from './undoing.ts'

/**
 * Opens an rtnetlink socket inside a namespace. The socket stays there: use it from outside, then close it.
 * Without FFI, and for `'host'` alone, the package `netlink` does it where it is installed.
 *
 * With the context of a call, every change registers its inverse: what was added is deleted, what was deleted (links
 * excepted) is added, what was set is set back, when a later step of ADD fails. A link that others use by then stays.
 * Closed (`using` does that), it still serves inverse steps, yours included. On the node `openRtnl({ ...c, netns: 'host' })`
 * is for what belongs to this pod, and `openRtnl('host')`, which takes nothing back, for what all pods share.
 *
 * In DEL, a handle that is `kept` deletes nothing: another attachment of the container still uses the namespace.
 *
 * @example
 * using rtnl = await openRtnl(pod)
 * await rtnl.setLinkUp('lo')
 * const links = await rtnl.getLinks()
 */
export function openRtnl(where: NetnsTarget | (NetnsContext & { readonly netns?: Netns | undefined })): Promise<Rtnl>
export function openRtnl(where: Where): Promise<
  Omit<Rtnl, 'addLink'> & {
    addLink(
      link: Link & {
        readonly peer?: Extract<NewLink, { readonly kind: 'veth' }>['peer'] | undefined
        readonly netns?: Netns | undefined
      },
    ): Promise<{ added: boolean }>
    /** Not a bridge, which all pods share: make it with `openRtnl('host')`, which takes nothing back. */
    addLink(link: Exclude<NewLink, { readonly kind: 'bridge' }>): Promise<{ added: boolean }>
  }
>
export async function openRtnl(where: Where): Promise<Rtnl> {
  const { netns, undo } = placeOf(where, 'openRtnl')
  const transport = await (undo === undefined ? openTransport(netns) : openReviving(netns))
  const rtnl = rtnlOver(transport, netns)
  if (keptIn(netns) !== undefined) return keeping(rtnl)
  if (undo === undefined) return rtnl
  return undoing(rtnl, { netns, undo, open: openRtnl })
}
