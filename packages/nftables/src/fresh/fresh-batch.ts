import { addRuleset } from '../encode/encode-table.ts'
import type { Ruleset } from '../rules/model.ts'
import { Batch } from '../wire/batch/batch.ts'

/**
 * The batch that `apply` sends to a namespace with none of a ruleset's tables. The sender fills in the generation of
 * the namespace. Throws `NftError('INVALID')` for a ruleset that cannot be written.
 */
export const freshBatch = (rules: Ruleset): Uint8Array => addRuleset(new Batch({ generation: 0 }), rules).bytes()
