import type { Ruleset } from '@cni/iptables'
import { freshBatch, openFresh } from '@cni/iptables/fresh'
import { families, rulesFor } from '@cni/iptables/rules'
import type { NetnsTarget } from '@cni/netns'
import { FIRST_GENERATION } from '../../../first-generation.ts'

/**
 * Writes rules to a namespace in which nobody has ever changed anything of nf_tables, as that of most pods that start: what
 * others may have left has not to be looked for then, and what is sent is the same for all of them. Returns the kernel's
 * count of changes after it; `undefined` where it is not so, or was not taken: then nothing was written.
 */
export function writeUntouched(netns: NetnsTarget, rules: Ruleset): number | undefined {
  if (netns === 'host') return undefined
  const batch = batchOf(rules)
  if (batch === undefined) return undefined
  using tables = openFresh(netns, { backend: 'nft' })
  return tables?.generation === FIRST_GENERATION && tables.commit(batch) ? FIRST_GENERATION + 1 : undefined
}

// internal

/** As long as somebody has the rules. */
const kept = new WeakMap<Ruleset, { readonly batch: Uint8Array | undefined }>()

function batchOf(rules: Ruleset): Uint8Array | undefined {
  const known = kept.get(rules)
  if (known !== undefined) return known.batch
  const batch = freshBatch(
    rules,
    families.filter((family) => rulesFor(rules, family).length > 0),
  )
  kept.set(rules, { batch })
  return batch
}
