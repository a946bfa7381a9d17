import { NetnsError } from '../../handle/netns-error.ts'
import type { LinkRef } from './link.ts'

/** Link of an object such as an address: `link` or `linkIndex`. Objects from the kernel have `linkIndex`. */
export interface OnLink {
  readonly link?: LinkRef | undefined
  readonly linkIndex?: number | undefined
}

/**
 * Returns the link to which an object such as an address belongs. Throws `NetnsError('INVALID')` if `link` and
 * `linkIndex` are missing.
 */
export function linkOf({ link, linkIndex }: OnLink, what: string): LinkRef {
  const ref = link ?? linkIndex
  if (ref !== undefined) return ref
  throw new NetnsError('INVALID', `${what}: the link is missing; give link or linkIndex`)
}
