import type { Range } from '@cni/nftables/rules'
import { quote } from '@cni/types'

/**
 * ID of a user or group, or a range of IDs, for a rule. nf_tables does not know names: the caller resolves names to IDs
 * first.
 */
export function ownerId(owner: number | string): number | Range<number> {
  if (typeof owner === 'number') return owner
  const [, from, to] = /^(\d+)-(\d+)$/.exec(owner) ?? []
  if (from === undefined)
    throw new Error(`nf_tables knows no names of users and groups: write ${quote(owner)} as a number`)
  return { from: Number(from), to: Number(to) }
}
