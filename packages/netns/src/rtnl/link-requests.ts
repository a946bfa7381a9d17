import { isNetnsError, NetnsError } from '../handle/netns-error.ts'
import type { Questions } from '../netlink/channel.ts'
import { NLM_F_CREATE, NLM_F_EXCL } from '../netlink/constants.ts'
import { unlessAlready } from './already.ts'
import { RTM_DELLINK, RTM_GETLINK, RTM_NEWLINK } from './constants.ts'
import { decodeLink, encodeNewLink, IFF_UP, type Link, type LinkSpec, linkHeader, linkName } from './link.ts'

export function getLinks(channel: Questions): Link[] {
  return channel
    .dump({ type: RTM_GETLINK, fixed: linkHeader(0), what: 'List links' })
    .map(({ body }) => decodeLink(body))
}

export function findLink(channel: Questions, name: string): Link | undefined {
  const what = `Find link ${JSON.stringify(name)}`
  try {
    const { body } = channel.get({ type: RTM_GETLINK, fixed: linkHeader(0), attributes: [linkName(name)], what })
    return decodeLink(body)
  } catch (error) {
    if (isNetnsError(error) && error.code === 'ENODEV') return undefined
    throw error
  }
}

/** The index of a link that must be there. */
export function linkIndex(channel: Questions, name: string, what: string): number {
  const link = findLink(channel, name)
  if (link !== undefined) return link.index
  throw new NetnsError('ENODEV', `${what}: ENODEV, there is no link ${JSON.stringify(name)}`)
}

export function addLink(channel: Questions, link: LinkSpec): boolean {
  const { name, kind } = link
  const request = {
    type: RTM_NEWLINK,
    flags: NLM_F_CREATE | NLM_F_EXCL,
    fixed: linkHeader(0),
    attributes: encodeNewLink(link),
    what: `Add ${kind} link ${JSON.stringify(name)}`,
  }
  return unlessAlready(
    ['EEXIST'],
    () => channel.ask(request),
    () => findLink(channel, name)?.kind === kind,
  )
}

export function deleteLink(channel: Questions, name: string): boolean {
  const what = `Delete link ${JSON.stringify(name)}`
  const request = { type: RTM_DELLINK, fixed: linkHeader(0), attributes: [linkName(name)], what }
  return unlessAlready(['ENODEV'], () => channel.ask(request))
}

export function setLink(channel: Questions, name: string, state: 'up' | 'down'): void {
  const fixed = linkHeader(0, state === 'up' ? IFF_UP : 0, IFF_UP)
  const what = `Set link ${JSON.stringify(name)} ${state}`
  channel.ask({ type: RTM_NEWLINK, fixed, attributes: [linkName(name)], what })
}
