import { quote } from '@cni/types'
import { listEntries } from './list-entries.ts'
import { unique, unsigned } from './validators.ts'

/**
 * Whose outbound traffic is captured, by the group of the sending process: of everyone but these groups, or of these
 * only. A name is resolved by iptables in its own file system, so the plugin's path takes numbers only.
 */
export interface OwnerGroups<Group extends number | string = number> {
  readonly mode: 'all-except' | 'only'
  readonly groups: readonly Group[]
}

/** The kernel's "no such id", (uid_t) -1, is not an owner. */
export const MAX_ID = 0xffff_fffe

/** A comma list of numeric group ids, at most `limit` of them; empty items are dropped, as in Istio. */
export function ownerGroups(value: string, limit = Number.POSITIVE_INFINITY): readonly number[] {
  const items = listEntries(value).map((item) => item.trim())
  const groups = unique(items.filter((item) => item !== '').map(groupId))
  if (groups.length > limit) throw new Error(`it lists ${groups.length} groups, more than ${limit} cannot be matched`)
  return groups
}

function groupId(item: string): number {
  if (/^\d+$/.test(item)) return unsigned(item, MAX_ID, 'group id')
  throw new Error(`${quote(item)} is not a numeric group id, write ids as "1000,2000"`)
}
