import { NetnsError } from '../../handle/netns-error.ts'
import type { Questions } from '../../netlink/channel.ts'
import { RTM_NEWLINK } from '../constants.ts'
import type { LinkChange } from '../port/arguments.ts'
import type { Link, LinkRef } from '../port/link.ts'
import { changeBack, type Reduced, reduceChange } from './change.ts'
import { encodeLinkChange, encodePortChange } from './encode.ts'
import { findLink, linkIndex, requireLink } from './requests.ts'
import { linkText } from './wire.ts'

/** A change that has been checked against the link as it is. */
export interface PlannedChange {
  readonly before: Link
  /** `undefined` when all of it is so already. */
  readonly reduced: Reduced | undefined
  /** As it was said, whatever the link is now. */
  readonly up?: boolean | undefined
  readonly what: string
}

/** Checks a change and what it refers to; nothing is changed yet. Throws `ENODEV`, `INVALID`. */
export function planChange(channel: Questions, link: LinkRef, change: LinkChange): PlannedChange {
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
 * Refuses a change that makes no sense for the link as it is. Throws `INVALID`, `EOPNOTSUPP`.
 *
 * @param master - the index of the new one, 0 for none.
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
      `${what}: a master is of one namespace; move the link first, then set its master there`,
    )
  }
  for (const [kind, options] of Object.entries({ bridge, vxlan, geneve })) {
    if (options !== undefined && before.kind !== kind) throw notSupported(what, `it is no ${kind}`)
  }
  if (bridgePort !== undefined && (master ?? before.master ?? 0) === 0) {
    throw notSupported(what, 'it is no port of a bridge')
  }
}

/** Tells the kernel, in as few steps as it takes. What a step that fails leaves is for {@link takeBack}. */
export function applyChange(channel: Questions, { before, reduced, up, what }: PlannedChange, netns?: number): void {
  // Whoever goes elsewhere goes down.
  const change = netns === undefined || up !== true ? { ...reduced } : { ...reduced, up }
  for (const message of messagesOf(before, change, netns)) channel.ask({ type: RTM_NEWLINK, ...message, what })
}

/** Makes a link again what it was, after a change that failed half-way; `false` when it is not in this namespace. */
export function takeBack(channel: Questions, { before, reduced = {}, what }: PlannedChange): boolean {
  const now = findLink(channel, before.index)
  if (now === undefined) return false
  const back = changeBack(before, { ...reduced, master: reduced.master })
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
  // A name and, of some kinds, a MAC can be given only to a link that is down.
  const down = change.up === false && (change.name !== undefined || change.mac !== undefined)
  return [
    down ? encodeLinkChange(index, { up: false }, {}) : undefined,
    encodeLinkChange(index, main, { master }, netns),
    encodePortChange(index, { bridgePort }),
  ].filter((message) => message !== undefined)
}
