import { addRuleset } from '../encode/encode-table.ts'
import type { Ruleset } from '../rules/model.ts'
import { Batch } from '../wire/batch/batch.ts'

/**
 * What `apply` sends to a namespace that has none of a ruleset's tables: one batch with a place for the generation of that
 * namespace, in which whoever sends it writes. Throws `NftError('INVALID')` for what cannot be written.
 */
export const freshBatch = (rules: Ruleset): Uint8Array => addRuleset(new Batch({ generation: 0 }), rules).bytes()
