import { Batch } from '@cni/nftables/wire'
import { addSteps, NotModelled } from '../netlink/compile.ts'
import { checkTablesAndChains } from '../rules/check-chains.ts'
import type { Family, Ruleset } from '../rules/model.ts'
import { freshSteps } from '../state/fresh.ts'

/**
 * Builds a netlink batch that writes a ruleset to empty nf_tables. Returns `undefined` if only an iptables program can
 * write one of the rules. The process that sends the batch inserts the generation of nf_tables.
 *
 * @throws `IptablesError` `INVALID_RULE` if the kernel does not allow a rule in its table or chain.
 */
export function freshBatch(rules: Ruleset, families: readonly Family[]): Uint8Array | undefined {
  checkTablesAndChains(rules)
  const batch = new Batch({ generation: 0 })
  try {
    for (const family of families) {
      const saved = { family, tables: new Map() }
      const steps = freshSteps(rules, saved)
      if (steps === undefined) return undefined
      addSteps(batch, { saved, chains: new Set() }, steps, [])
    }
  } catch (error) {
    if (error instanceof NotModelled) return undefined
    throw error
  }
  return batch.bytes()
}
