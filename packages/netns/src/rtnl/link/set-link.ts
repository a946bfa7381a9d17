import { NetnsError } from '../../handle/netns-error.ts'
import type { RequestChannel } from '../../netlink/channel.ts'
import { RTM_NEWLINK } from '../constants.ts'
import type { LinkChange } from '../port/arguments.ts'
import type { Link, LinkRef } from '../port/link.ts'
import { inverseChange, type Reduced, reduceChange } from './change.ts'
import { encodeLinkChange, encodePortChange } from './encode.ts'
import { findLink, linkIndex, requireLink } from './requests.ts'
import { linkText } from './wire.ts'

/** Change of a link, validated against the link's current state, before any request is sent. */
export interface PlannedChange {
  readonly before: Link
  /** Members of the change that differ from the link; `undefined` if no member differs. */
  readonly reduced: Reduced | undefined
  /** Requested state of the link (up or down), even if the link is already in that state. */
  readonly up?: boolean | undefined
  readonly what: string
}

/** Validates a change of a link without sending the change to the kernel. */
export function planChange(channel: RequestChannel, link: LinkRef, change: LinkChange): PlannedChange {
  const what = `Set link ${linkText(link)}`
  const before = requireLink(channel, link, what)
  const { master } = change
  const masterIndex = master === null ? 0 : master === undefined ? undefined : linkIndex(channel, master, what)
  checkChange(before, change, masterIndex, what)
  const reduced = reduceChange(before, change, masterIndex)
  if (reduced !== undefined) messagesOf(before, reduced, undefined)
  return { before, reduced, up: change.up, what }
}

/**
 * Throws `INVALID` or `EOPNOTSUPP` if the link does not support the change.
 *
 * @param master - index of the new master; 0 removes the master
 */
export function checkChange(
  before: Link,
  { netns, bridge, vxlan, geneve, bridgePort }: LinkChange,
  master: number | undefined,
  what: string,
): void {
  if (netns !== undefined && (bridgePort !== undefined || master !== undefined)) {
    throw new NetnsError(
      'INVALID',
      `${what}: a link and its master must be in the same namespace; move the link first, then set its master there`,
    )
  }
  for (const [kind, options] of Object.entries({ bridge, vxlan, geneve })) {
    if (options !== undefined && before.kind !== kind) throw notSupported(what, `it is not a ${kind}`)
  }
  if (bridgePort !== undefined && (master ?? before.master ?? 0) === 0) {
    throw notSupported(what, 'it is not a port of a bridge')
  }
}

/** Changes a link in as few requests as possible. */
export function applyChange(
  channel: RequestChannel,
  { before, reduced, up, what }: PlannedChange,
  netns?: number,
): void {
  // The move to another namespace sets the link down.
  const change = netns === undefined || up !== true ? { ...reduced } : { ...reduced, up }
  for (const message of messagesOf(before, change, netns)) channel.ask({ type: RTM_NEWLINK, ...message, what })
}

/** Restores a link after a change that failed half-way. Returns `false` if the link is not in this namespace. */
export function rollBackChange(channel: RequestChannel, { before, reduced = {}, what }: PlannedChange): boolean {
  const now = findLink(channel, before.index)
  if (now === undefined) return false
  const back = inverseChange(before, { ...reduced, master: reduced.master })
  const left = reduceChange(now, back, back.master === undefined ? undefined : (before.master ?? 0))
  if (left !== undefined) applyChange(channel, { before: now, reduced: left, what: `${what}, back` })
  return true
}

function notSupported(what: string, why: string): NetnsError {
  return new NetnsError('EOPNOTSUPP', `${what}: EOPNOTSUPP, ${why}`)
}

function messagesOf(before: Link, change: Reduced, netns: number | undefined) {
  const { index } = before
  const { bridgePort, master, ...main } = change
  // The kernel changes the name or MAC only of a link that is down.
  const down = change.up === false && (change.name !== undefined || change.mac !== undefined)
  return [
    down ? encodeLinkChange(index, { up: false }, {}) : undefined,
    encodeLinkChange(index, main, { master }, netns),
    encodePortChange(index, { bridgePort }),
  ].filter((message) => message !== undefined)
}
