import { NetnsError } from '../../handle/netns-error.ts'
import type { LinkRef } from './link.ts'

/** What belongs to a link: one of the two says which. What was read has `linkIndex`. */
export interface OnLink {
  readonly link?: LinkRef | undefined
  readonly linkIndex?: number | undefined
}

/** The link of something. Throws `NetnsError('INVALID')` when nothing says it. */
export function linkOf({ link, linkIndex }: OnLink, what: string): LinkRef {
  const ref = link ?? linkIndex
  if (ref !== undefined) return ref
  throw new NetnsError('INVALID', `${what}: of which link? Say link, or linkIndex`)
}
