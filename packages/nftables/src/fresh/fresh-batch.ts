import { addRuleset } from '../encode/encode-table.ts'
import type { Ruleset } from '../rules/model.ts'
import { Batch } from '../wire/batch/batch.ts'

/**
 * Creates the netlink batch that `apply` sends to a namespace without any of the ruleset's tables. The sending process
 * fills in the generation of the namespace. Throws `NftError('INVALID')` for a ruleset that cannot be written.
 */
export const freshBatch = (rules: Ruleset): Uint8Array => addRuleset(new Batch({ generation: 0 }), rules).bytes()
