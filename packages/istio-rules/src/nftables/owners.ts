import type { Range } from '@cni/nftables/rules'
import { quote } from '@cni/types'

/** Converts an owner to an ID or ID range. nf_tables knows only IDs, so callers resolve names. */
export function ownerId(owner: number | string): number | Range<number> {
  if (typeof owner === 'number') return owner
  const [, from, to] = /^(\d+)-(\d+)$/.exec(owner) ?? []
  if (from === undefined)
    throw new Error(`nf_tables knows no names of users and groups: write ${quote(owner)} as a number`)
  return { from: Number(from), to: Number(to) }
}
