import { Batch } from '@cni/nftables/wire'
import { addSteps, NotModelled } from '../netlink/compile.ts'
import type { Family, Ruleset } from '../rules/model.ts'
import { checkPlaces } from '../rules/places.ts'
import { freshSteps } from '../state/fresh.ts'

/**
 * What `apply` sends to write a ruleset to a namespace in which nf_tables holds nothing: one batch for all families, with a
 * place for the generation of that namespace, in which whoever sends it writes. `undefined` where a rule can only be
 * written by a program.
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
