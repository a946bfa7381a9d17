import type { RequestChannel } from '../../netlink/channel.ts'
import { linkOf, type OnLink } from '../port/on-link.ts'
import { linkIndex } from './requests.ts'
import { linkText } from './wire.ts'

/** Preposition before a link's name in error messages, such as `on` in `Add address … on eth0`. */
type Preposition = 'on' | 'of'

/** Encoded request for an object of a link, such as an address. */
export interface PreparedOnLink<Message> {
  /** Description of the request and of its link for error messages. */
  readonly what: string
  /** Index of the link to which the object belongs. */
  readonly index: number
  readonly encoded: Message
}

/**
 * Encodes a request that adds or changes an object of a link, such as an address.
 *
 * @param change - description of the request for error messages: `Add address "10.0.0.1/24"`
 */
export function prepareOnLink<Wanted extends OnLink, Message>(
  channel: RequestChannel,
  [change, preposition]: readonly [change: string, Preposition],
  wanted: Wanted,
  encode: (wanted: Wanted, linkIndex: number) => Message,
): PreparedOnLink<Message> {
  const link = linkOf(wanted, change)
  const what = `${change} ${preposition} ${linkText(link)}`
  // Validates the object by encoding it with a dummy link index. Invalid values throw.
  encode(wanted, 1)
  const index = linkIndex(channel, link, what)
  return { what, index, encoded: encode(wanted, index) }
}
