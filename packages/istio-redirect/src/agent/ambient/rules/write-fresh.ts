import type { Ruleset } from '@cni/iptables'
import { freshBatch, openFresh } from '@cni/iptables/fresh'
import { families, rulesFor } from '@cni/iptables/rules'
import type { NetnsTarget } from '@cni/netns'
import { FRESH_GENERATION } from '../../../fresh-generation.ts'

/**
 * Writes iptables rules to a network namespace without any nf_tables change, as most pods have when they start. Does
 * not search for former rules, and sends the same kernel batch to all these namespaces.
 *
 * Returns the kernel's count of nf_tables changes after the batch. Returns `undefined` if the namespace was changed
 * before, or if the kernel refused the batch. In both cases nothing is written.
 */
export function writeFresh(netns: NetnsTarget, rules: Ruleset): number | undefined {
  if (netns === 'host') return undefined
  const batch = batchOf(rules)
  if (batch === undefined) return undefined
  using tables = openFresh(netns, { backend: 'iptables-nft' })
  return tables?.generation === FRESH_GENERATION && tables.commit(batch) ? FRESH_GENERATION + 1 : undefined
}

// internal

/** Kernel batches by the rules that they write. A batch is kept in memory as long as its rules are. */
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
