import type { Ruleset } from '@cni/iptables'
import { freshBatch, openFresh } from '@cni/iptables/fresh'
import { families, rulesFor } from '@cni/iptables/rules'
import type { NetnsTarget } from '@cni/netns'
import { INITIAL_GENERATION } from '../../../initial-generation.ts'

/** Writes iptables rules, but only to a namespace in which nf_tables has never changed. */
export function writeToEmpty(netns: NetnsTarget, rules: Ruleset): number | undefined {
  if (netns === 'host') return undefined
  const batch = batchOf(rules)
  if (batch === undefined) return undefined
  using tables = openFresh(netns, { backend: 'iptables-nft' })
  return tables?.generation === INITIAL_GENERATION && tables.commit(batch) ? INITIAL_GENERATION + 1 : undefined
}

// internal

/** Map from rulesets to kernel batches (encoded netlink messages). A batch is freed together with its ruleset. */
const cache = new WeakMap<Ruleset, { readonly batch: Uint8Array | undefined }>()

function batchOf(rules: Ruleset): Uint8Array | undefined {
  const cached = cache.get(rules)
  if (cached !== undefined) return cached.batch
  const batch = freshBatch(
    rules,
    families.filter((family) => rulesFor(rules, family).length > 0),
  )
  cache.set(rules, { batch })
  return batch
}
