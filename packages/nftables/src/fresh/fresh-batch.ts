import { addRuleset } from '../encode/encode-table.ts'
import type { Ruleset } from '../rules/model.ts'
import { Batch } from '../wire/batch/batch.ts'

/**
 * Creates the netlink batch that adds all tables of a ruleset to a namespace with none of these tables. The sender of
 * the batch later fills in the generation number of the namespace. Throws `NftError('INVALID')` for a ruleset that
 * cannot be written.
 */
export const freshBatch = (rules: Ruleset): Uint8Array => addRuleset(new Batch({ generation: 0 }), rules).bytes()
