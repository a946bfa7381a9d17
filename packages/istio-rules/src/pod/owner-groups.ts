import { quote } from '@cni/types'
import { listEntries } from './list-entries.ts'
import { unique, unsigned } from './validators.ts'

/** Selects outbound traffic by process group. iptables would resolve group names on the wrong machine. */
export interface OwnerGroups<Group extends number | string = number> {
  readonly mode: 'all-except' | 'only'
  readonly groups: readonly Group[]
}

/** Largest ID of a user or group. The next number, (uid_t) -1, means "no ID" in the kernel. */
export const MAX_ID = 0xffff_fffe

/** Parses a comma list of numeric group IDs, at most `limit`. Empty items are dropped, as in Istio. */
export function ownerGroups(value: string, limit = Number.POSITIVE_INFINITY): readonly number[] {
  const items = listEntries(value).map((item) => item.trim())
  const groups = unique(items.filter((item) => item !== '').map(groupId))
  if (groups.length > limit) throw new Error(`it lists ${groups.length} groups, at most ${limit} are possible`)
  return groups
}

function groupId(item: string): number {
  if (/^\d+$/.test(item)) return unsigned(item, MAX_ID, 'group id')
  throw new Error(`${quote(item)} is not a numeric group id, write ids as "1000,2000"`)
}
