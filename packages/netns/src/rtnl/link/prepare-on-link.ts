import type { Questions } from '../../netlink/channel.ts'
import { linkOf, type OnLink } from '../port/on-link.ts'
import { linkIndex } from './requests.ts'
import { linkText } from './wire.ts'

/** The word between a change and its link. */
type Preposition = 'on' | 'of'

/** A change of something on a link, ready to be asked for. */
export interface PreparedOnLink<Message> {
  /** The change in words, with its link. */
  readonly what: string
  /** The link's. */
  readonly index: number
  readonly encoded: Message
}

/**
 * Encodes a change of something on a link, which is checked before the kernel is asked for the link.
 *
 * @param change - in words: `Add address "10.0.0.1/24"`
 */
export function prepareOnLink<Wanted extends OnLink, Message>(
  channel: Questions,
  [change, preposition]: readonly [change: string, Preposition],
  wanted: Wanted,
  encode: (wanted: Wanted, linkIndex: number) => Message,
): PreparedOnLink<Message> {
  const link = linkOf(wanted, change)
  const what = `${change} ${preposition} ${linkText(link)}`
  // Throws for what cannot be, whatever index the link has.
  encode(wanted, 1)
  const index = linkIndex(channel, link, what)
  return { what, index, encoded: encode(wanted, index) }
}
