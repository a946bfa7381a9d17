import type { Questions } from '../../netlink/channel.ts'
import { linkOf, type OnLink } from '../port/on-link.ts'
import { linkIndex } from './requests.ts'
import { linkText } from './wire.ts'

/** Preposition between the change and its link in messages. */
type Preposition = 'on' | 'of'

/** Encoded change of an object that belongs to a link. */
export interface PreparedOnLink<Message> {
  /** Description of the change and its link for messages. */
  readonly what: string
  /** Index of the link to which the object belongs. */
  readonly index: number
  readonly encoded: Message
}

/**
 * Encodes a change of an object that belongs to a link. Validates the change before asking the kernel for the link.
 *
 * @param change - description for messages: `Add address "10.0.0.1/24"`
 */
export function prepareOnLink<Wanted extends OnLink, Message>(
  channel: Questions,
  [change, preposition]: readonly [change: string, Preposition],
  wanted: Wanted,
  encode: (wanted: Wanted, linkIndex: number) => Message,
): PreparedOnLink<Message> {
  const link = linkOf(wanted, change)
  const what = `${change} ${preposition} ${linkText(link)}`
  // Encodes once only to validate: invalid values throw, with any index.
  encode(wanted, 1)
  const index = linkIndex(channel, link, what)
  return { what, index, encoded: encode(wanted, index) }
}
