import type { NetnsTarget } from '../handle/netns.ts'
import { inverseChange } from './link/change.ts'
import type { OldLink } from './port/arguments.ts'
import type { Link, LinkRef, NewLink } from './port/link.ts'
import type { Rtnl } from './port/rtnl.ts'
import { tablesWithUndo } from './tables-with-undo.ts'

/** Receiver of the undo steps that link, address and route operations register. */
export interface UndoTarget {
  readonly netns: NetnsTarget
  undo(step: () => unknown): void
  /** Opens an rtnetlink socket in the namespace to which a link has moved. */
  open(netns: NetnsTarget): Promise<Rtnl>
}

/**
 * Wraps rtnetlink operations: each change registers an undo step, except `deleteLink`. After `close`, undo steps still
 * work.
 */
export function withUndo(rtnl: Rtnl, { netns, undo: register, open }: UndoTarget): Rtnl {
  let closed = false
  const undo = (step: () => unknown): void => {
    if (!closed) register(step)
  }
  const close = (): void => {
    closed = true
    rtnl.close()
  }
  const unlessUsed = async (name: LinkRef, step: () => unknown): Promise<void> => {
    const link = await rtnl.getLink(name)
    if (link === undefined) return
    // A veth does not use its `parent`, because the parent is the veth's peer.
    const isOnIt = ({ kind, master, parent, parentNetns }: Link): boolean =>
      master === link.index || (parent === link.index && parentNetns === undefined && kind !== 'veth')
    if (!(await rtnl.getLinks()).some(isOnIt)) await step()
  }
  const setState = async (link: LinkRef, up: boolean): Promise<void> => {
    const before = await rtnl.getLink(link)
    await (up ? rtnl.setLinkUp(link) : rtnl.setLinkDown(link))
    if (before !== undefined && before.up !== up) {
      undo(() => unlessUsed(before, () => rtnl.setLink(before, { up: !up })))
    }
  }
  return {
    ...rtnl,
    close,
    [Symbol.dispose]: close,
    async addLink(link: NewLink | OldLink) {
      // Both branches call `addLink`, because TypeScript accepts only one type of link in each call.
      const answer = await ('index' in link ? rtnl.addLink(link) : rtnl.addLink(link))
      const { name, netns: birthplace } = link
      if (answer.added)
        undo(() => (birthplace ? inside(birthplace, name) : unlessUsed(name, () => rtnl.deleteLink(name))))
      return answer
    },
    async setLink(link, change) {
      const answer = await rtnl.setLink(link, change)
      const { before, changed } = answer
      const back = inverseChange(before, change)
      const { netns: gone } = change
      if (!changed) return answer
      if (gone === undefined) undo(() => unlessUsed(before, () => rtnl.setLink(before, back)))
      else undo(() => bring(gone, change.name ?? before.name))
      return answer

      async function bring(from: NetnsTarget, name: string): Promise<void> {
        using there = await open(from)
        const { master, bridgePort, up, ...rest } = back
        await there.setLink(name, { ...rest, netns })
        await rtnl.setLink(before.name, { master, bridgePort, up })
      }
    },
    setLinkUp: (link) => setState(link, true),
    setLinkDown: (link) => setState(link, false),
    ...tablesWithUndo(rtnl, undo),
  }

  async function inside(birthplace: NetnsTarget, name: string): Promise<void> {
    using there = await open(birthplace)
    await there.deleteLink(name)
  }
}
