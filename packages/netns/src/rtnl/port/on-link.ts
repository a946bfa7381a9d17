import { NetnsError } from '../../handle/netns-error.ts'
import type { LinkRef } from './link.ts'

/** Link of an object: give `link` or `linkIndex`. An object as read has `linkIndex`. */
export interface OnLink {
  readonly link?: LinkRef | undefined
  readonly linkIndex?: number | undefined
}

/** Link of an object. Throws `NetnsError('INVALID')` if both members are missing. */
export function linkOf({ link, linkIndex }: OnLink, what: string): LinkRef {
  const ref = link ?? linkIndex
  if (ref !== undefined) return ref
  throw new NetnsError('INVALID', `${what}: the link is missing; give link or linkIndex`)
}
