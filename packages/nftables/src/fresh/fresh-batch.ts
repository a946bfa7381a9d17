import { addRuleset } from '../encode/encode-table.ts'
import type { Ruleset } from '../rules/model.ts'
import { Batch } from '../wire/batch/batch.ts'

/**
 * Creates the netlink batch that adds a ruleset's tables to a namespace. The namespace must have none of these tables.
 * Throws `NftError('INVALID')` for a ruleset that cannot be written.
 */
export const freshBatch = (rules: Ruleset): Uint8Array => addRuleset(new Batch({ generation: 0 }), rules).bytes()
