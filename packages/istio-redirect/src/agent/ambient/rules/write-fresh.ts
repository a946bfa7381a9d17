import type { Ruleset } from '@cni/iptables'
import { freshBatch, openFresh } from '@cni/iptables/fresh'
import { families, rulesFor } from '@cni/iptables/rules'
import type { NetnsTarget } from '@cni/netns'
import { FRESH_GENERATION } from '../../../fresh-generation.ts'

/**
 * Writes rules to an untouched namespace, as most pods have when they start. Does not search for former rules, and
 * sends the same batch to all such namespaces.
 *
 * Returns the kernel's generation of nf_tables after the batch. Returns `undefined` if the namespace was changed before
 * or the kernel refused the batch. Nothing is written then.
 */
export function writeFresh(netns: NetnsTarget, rules: Ruleset): number | undefined {
  if (netns === 'host') return undefined
  const batch = batchOf(rules)
  if (batch === undefined) return undefined
  using tables = openFresh(netns, { backend: 'iptables-nft' })
  return tables?.generation === FRESH_GENERATION && tables.commit(batch) ? FRESH_GENERATION + 1 : undefined
}

// internal

/** Batches by ruleset, kept as long as the ruleset is in use. */
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
