import { keptIn, type Netns, type NetnsTarget } from '../handle/netns.ts'
import { type NetnsContext, placeOf, type Where } from '../handle/where.ts'
import { rtnlFrom } from './from-transport.ts'
import { openReconnecting, openTransport } from './open-transport.ts'
import type { Link, NewLink } from './port/link.ts'
import type { Rtnl } from './port/rtnl.ts'
import { withUndo } from './with-undo.ts'
import { withoutDeletions } from './without-deletions.ts'

/**
 * Opens an rtnetlink socket that stays in the given namespace. Close the socket after use. Without FFI, only `'host'`
 * works, through the optional package `netlink`.
 *
 * With the context of a plugin call, every change registers an undo step. The undo steps run if a later step of ADD
 * fails:
 * - An added object is deleted. An added link stays if other links use it by then.
 * - A deleted object is added again, except links.
 * - A changed value is set back.
 *
 * Undo steps, including your own, work after the socket is closed.
 *
 * On the node, use `openRtnl({ ...c, netns: 'host' })` for objects of one pod. Use `openRtnl('host')` for objects that
 * all pods share: it registers no undo steps.
 *
 * In DEL, deletions do nothing while another attachment of the container uses the namespace.
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
    /**
     * Refuses to add a bridge with the context of one pod's call. Create a bridge with `openRtnl('host')`, because all
     * pods share the bridge.
     */
    addLink(link: Exclude<NewLink, { readonly kind: 'bridge' }>): Promise<{ added: boolean }>
  }
>
export async function openRtnl(where: Where): Promise<Rtnl> {
  const { netns, undo } = placeOf(where, 'openRtnl')
  const transport = await (undo === undefined ? openTransport(netns) : openReconnecting(netns))
  const rtnl = rtnlFrom(transport, netns)
  if (keptIn(netns) !== undefined) return withoutDeletions(rtnl)
  if (undo === undefined) return rtnl
  return withUndo(rtnl, { netns, undo, open: openRtnl })
}
