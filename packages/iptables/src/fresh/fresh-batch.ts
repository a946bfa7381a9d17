import { Batch } from '@cni/nftables/wire'
import { addSteps, NotModelled } from '../netlink/compile.ts'
import type { Family, Ruleset } from '../rules/model.ts'
import { checkPlaces } from '../rules/places.ts'
import { freshSteps } from '../state/fresh.ts'

/**
 * Netlink batch that writes a ruleset for all families to a namespace whose nf_tables are empty. `apply` sends the same
 * batch. `undefined` if only a program can write one of the rules.
 *
 * The process that sends the batch fills in the generation of the namespace.
 *
 * @throws `IptablesError` `INVALID_RULE` for a rule in a place where it cannot be.
 */
export function freshBatch(rules: Ruleset, families: readonly Family[]): Uint8Array | undefined {
  checkPlaces(rules)
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
