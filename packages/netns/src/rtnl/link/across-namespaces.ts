import { run } from '../../enter/runner.ts'
import type { Netns, NetnsTarget } from '../../handle/netns.ts'
import { isNetnsError, NetnsError } from '../../handle/netns-error.ts'
import { current } from '../../handle/open.ts'
import type { RequestChannel } from '../../netlink/channel.ts'
import { openTransport } from '../open-transport.ts'
import type { LinkChange } from '../port/arguments.ts'
import type { Link, LinkRef, LinkToAdd } from '../port/link.ts'
import type { Transport } from '../transport.ts'
import { inverseChange } from './change.ts'
import { addLink, deleteLink, differenceOf, findLink, refsOf, setLinkState } from './requests.ts'
import { applyChange, type PlannedChange, planChange, rollBackChange } from './set-link.ts'

/** Operations that add or change a link and may involve two namespaces. */
export interface CrossNamespaceLinks {
  addLink(link: LinkToAdd): Promise<{ added: boolean }>
  setLink(link: LinkRef, change: LinkChange): Promise<{ changed: boolean; before: Link }>
}

/** Creates operations that add or change a link, also across namespaces. */
export function acrossNamespaces(perform: Transport['perform'], here: NetnsTarget): CrossNamespaceLinks {
  return {
    async addLink(link) {
      const { name, netns, peer, up } = link
      const added =
        netns === undefined ? await perform((channel) => addLink(channel, link)) : await addLinkThere(link, netns)
      if (!added) return { added }
      try {
        if (netns !== undefined && peer !== undefined && up === true) await raise(netns, name)
        if (peer?.up === true) await raise(peer.netns, peer.name)
        return { added }
      } catch (error) {
        if (netns === undefined) await perform((channel) => deleteLink(channel, name))
        else await withTransport(netns, (there) => there((channel) => deleteLink(channel, name)))
        throw error
      }
    },

    async setLink(link, change) {
      const planned = await perform((channel) => planChange(channel, link, change))
      const { before, reduced } = planned
      const netns = change.netns === undefined ? undefined : handleOf(change.netns)
      try {
        if (reduced === undefined && (netns === undefined || isSameNamespace(netns, here)))
          return { changed: false, before }
        await perform((channel) => applyChange(channel, planned, netns?.handle.fd))
        return { changed: true, before }
      } catch (error) {
        // Ignores an error of the rollback, so that the caller gets the error of the failed change.
        if (isNetnsError(error)) await returnLink(planned, change).catch(() => {})
        throw error
      } finally {
        netns?.[Symbol.dispose]()
      }
    },
  }

  async function addLinkThere(link: LinkToAdd, netns: Netns): Promise<boolean> {
    const what = `Add ${link.kind} link ${JSON.stringify(link.name)} in ${JSON.stringify(netns.path)}`
    return await withTransport(netns, async (there) => {
      const existing = await there((channel) => findLink(channel, link.name))
      if (existing !== undefined) {
        const { parent } = await perform((channel) => refsOf(channel, { ...link, master: undefined }, what))
        const difference = differenceOf(existing, { ...link, master: undefined }, { parent })
        if (difference === undefined) return false
        throw new NetnsError('EEXIST', `${what}: EEXIST, ${difference}`)
      }
      if (link.master !== undefined || link.bridgePort !== undefined) {
        throw new NetnsError(
          'INVALID',
          `${what}: a link and its master must be in the same namespace; add the link first, then set its master there`,
        )
      }
      const taken = await perform((channel) => findLink(channel, link.name))
      if (taken === undefined) return await perform((channel) => addLink(channel, link))
      // Linux before 6.13 refuses a name that exists in the caller's own namespace.
      const born = `cni${Math.floor(Math.random() * 0xffffffff).toString(16)}`
      await perform((channel) => addLink(channel, { ...link, name: born, up: false }))
      try {
        const change = { name: link.name, up: link.up }
        await there((channel) => applyChange(channel, planChange(channel, born, change)))
        return true
      } catch (error) {
        await there((channel) => deleteLink(channel, born))
        throw error
      }
    })
  }

  async function raise(netns: Netns | undefined, name: string): Promise<void> {
    const up = (channel: RequestChannel) => setLinkState(channel, name, 'up')
    await (netns === undefined ? perform(up) : withTransport(netns, (there) => there(up)))
  }

  async function returnLink(planned: PlannedChange, change: LinkChange): Promise<void> {
    const { before } = planned
    if ((await perform((channel) => rollBackChange(channel, planned))) || change.netns === undefined) return
    using home = handleOf(here)
    await withTransport(change.netns, (there) =>
      there((channel) => {
        // Searches for the moved link by its old and new name.
        const arrived = [change.name, before.name].map((name) => name && findLink(channel, name))
        const link = arrived.find((each) => each && isArrival(each, before, change))
        if (!link) return
        const { up, mtu, mac } = inverseChange(before, change)
        applyChange(channel, planChange(channel, link, { name: before.name, up, mtu, mac }), home.handle.fd)
      }),
    )
  }
}

/** Checks kind and MAC of a moved link, because another link may have the same name. */
function isArrival(link: Link, before: Link, { mac }: LinkChange): boolean {
  return link.kind === before.kind && (link.mac === before.mac || link.mac === mac?.toLowerCase())
}

/** Opens an rtnetlink socket in a namespace, calls a function with the socket, then closes the socket. */
async function withTransport<T>(target: NetnsTarget, body: (perform: Transport['perform']) => Promise<T>): Promise<T> {
  const transport = await openTransport(target)
  try {
    return await body(transport.perform)
  } finally {
    transport.close()
  }
}

interface OwnedHandle extends Disposable {
  readonly handle: Netns
}

/** Returns a namespace handle for a `using` declaration, which leaves the caller's handle open. */
function handleOf(target: NetnsTarget): OwnedHandle {
  if (target !== 'host') return { handle: target, [Symbol.dispose]() {} }
  const handle = run('host', current)
  return { handle, [Symbol.dispose]: () => handle.close() }
}

function isSameNamespace({ handle }: OwnedHandle, here: NetnsTarget): boolean {
  using home = handleOf(here)
  return handle.isSame(home.handle)
}
