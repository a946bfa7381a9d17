import { isNetnsError, NetnsError } from '../../handle/netns-error.ts'
import type { RequestChannel } from '../../netlink/channel.ts'
import { NLM_F_CREATE, NLM_F_EXCL } from '../../netlink/constants.ts'
import { unlessAlready } from '../already.ts'
import { firstDifference } from '../check.ts'
import { RTM_DELLINK, RTM_GETLINK, RTM_NEWLINK } from '../constants.ts'
import type { Link, LinkRef, LinkToAdd } from '../port/link.ts'
import { decodeLink } from './decode.ts'
import { encodeNewLink, encodePortChange, hangsOnParent, type LinkRefs } from './encode.ts'
import { formatMac, parseMac } from './mac.ts'
import { IFF_UP, linkHeader, linkSelector, linkText } from './wire.ts'

export function getLinks(channel: RequestChannel): Link[] {
  return channel
    .dump({ type: RTM_GETLINK, fixed: linkHeader(0), what: 'List links' })
    .map(({ body }) => decodeLink(body))
}

export function findLink(channel: RequestChannel, link: LinkRef): Link | undefined {
  const what = `Find link ${linkText(link)}`
  const { index, attributes } = linkSelector(link)
  try {
    const { body } = channel.get({ type: RTM_GETLINK, fixed: linkHeader(index), attributes, what })
    return decodeLink(body)
  } catch (error) {
    if (isNetnsError(error) && error.code === 'ENODEV') return undefined
    throw error
  }
}

/** Finds a link by name or index. Throws `ENODEV` if the link is missing. */
export function requireLink(channel: RequestChannel, link: LinkRef, what: string): Link {
  const found = findLink(channel, link)
  if (found !== undefined) return found
  throw new NetnsError('ENODEV', `${what}: ENODEV, there is no link ${linkText(link)}`)
}

/** Finds the index of a link by name. Returns a given index unchecked, because the kernel checks it. */
export function linkIndex(channel: RequestChannel, link: LinkRef, what: string): number {
  return typeof link === 'number' ? linkSelector(link).index : requireLink(channel, link, what).index
}

export function addLink(channel: RequestChannel, link: LinkToAdd): boolean {
  const what = `Add ${link.kind} link ${linkText(link.name)}`
  const refs = refsOf(channel, link, what)
  const request = { type: RTM_NEWLINK, flags: NLM_F_CREATE | NLM_F_EXCL, ...encodeNewLink(link, refs), what }
  const added = unlessAlready(
    ['EEXIST'],
    () => channel.ask(request),
    () => {
      const there = findLink(channel, link.name)
      if (there !== undefined) return differenceOf(there, link, refs)
      return link.peer === undefined
        ? 'another process has removed it since'
        : `its other end ${linkText(link.peer.name)} already exists`
    },
  )
  if (added) finish(channel, link, what)
  return added
}

/** Describes how an existing link differs from the wanted one. `undefined` means no difference. */
export function differenceOf(there: Link, link: LinkToAdd, { master, parent }: LinkRefs): string | undefined {
  const { kind, mtu, mac, txqlen, alias, bridge, vlan, macvlan, ipvlan, vxlan, geneve, bridgePort } = link
  const difference = firstDifference(there, {
    ...{ kind, mtu, mac: mac === undefined ? undefined : formatMac(parseMac(mac)), txqlen, alias, master },
    ...{ parent: hangsOnParent(link) || kind === 'vxlan' ? parent : undefined },
    ...{ bridge, vlan, macvlan, ipvlan, vxlan, geneve, bridgePort },
  })
  return difference === undefined ? undefined : `it exists, but its ${difference}`
}

/** Looks up the indexes of the master and the parent of a new link. */
export function refsOf(channel: RequestChannel, link: LinkToAdd, what: string): LinkRefs {
  const { master, parent } = link
  return {
    master: master === undefined ? undefined : linkIndex(channel, master, what),
    // Does not look up a numeric `parent`, because the number may be an index in another namespace.
    parent: parent === undefined || typeof parent === 'number' ? parent : linkIndex(channel, parent, what),
  }
}

export function deleteLink(channel: RequestChannel, link: LinkRef): boolean {
  const what = `Delete link ${linkText(link)}`
  const { index, attributes } = linkSelector(link)
  const request = { type: RTM_DELLINK, fixed: linkHeader(index), attributes, what }
  return unlessAlready(['ENODEV'], () => channel.ask(request))
}

export function setLinkState(channel: RequestChannel, link: LinkRef, state: 'up' | 'down'): void {
  const { index, attributes } = linkSelector(link)
  const fixed = linkHeader(index, state === 'up' ? IFF_UP : 0, IFF_UP)
  channel.ask({ type: RTM_NEWLINK, fixed, attributes, what: `Set link ${linkText(link)} ${state}` })
}

/** Sets values that need an existing link. Deletes the link if the kernel refuses. */
function finish(channel: RequestChannel, link: LinkToAdd, what: string): void {
  const { name, netns, kind, up, master, bridgePort } = link
  if (netns !== undefined) return
  try {
    const port = bridgePort === undefined || master === undefined ? undefined : { bridgePort }
    const message = port && encodePortChange(requireLink(channel, name, what).index, port)
    if (message !== undefined) channel.ask({ type: RTM_NEWLINK, ...message, what })
    if (kind === 'veth' && up === true) setLinkState(channel, name, 'up')
  } catch (error) {
    if (isNetnsError(error)) deleteLink(channel, name)
    throw error
  }
}
