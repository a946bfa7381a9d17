import { addRuleset, nameOf } from '../encode/encode-table.ts'
import type { Ruleset } from '../rules/model.ts'
import { Batch } from '../wire/batch/batch.ts'
import type { Nft } from '../wire/nft.ts'
import { isNftError } from '../wire/nft-error.ts'
import type { TableName } from '../wire/specs.ts'
import { absentTables } from './absent.ts'
import { present } from './present.ts'
import { replaceRuleset } from './replace.ts'
import type { Change, Plan } from './report.ts'
import { changeOf, type OwnedOptions, type Rollback, retryOptionsOf, rollbackOf, type Work, withNft } from './work.ts'

/** Writes a ruleset into the kernel's nf_tables. */
export async function applyRuleset(
  work: Work,
  rules: Ruleset,
  options: OwnedOptions = {},
): Promise<Change & { readonly plan: Plan }> {
  const began = performance.now()
  const absent = absentTables(rules, options)
  const owned = [...rules.tables.map(nameOf), ...absent]
  const rollback = rollbackOf(work)
  return withNft(work, async (nft) => {
    if (rules.tables.length > 0 && writeFresh(nft, { rules, owned }, rollback)) {
      return { plan: 'fresh', ...changeOf(nft, began, rollback) }
    }
    const plan = await replaceRuleset(nft, { rules, absent }, rollback, retryOptionsOf(work))
    return { plan, ...changeOf(nft, began, rollback) }
  })
}

interface OwnedRuleset {
  readonly rules: Ruleset
  readonly owned: readonly TableName[]
}

/** Writes the whole ruleset if none of the ruleset's tables exists in the kernel. */
function writeFresh(nft: Nft, { rules, owned }: OwnedRuleset, rollback: Rollback): boolean {
  if (present(nft, owned).length > 0) return false
  const batch = addRuleset(new Batch({ echo: true }), rules, { exclusive: true })
  rollback.begin()
  try {
    rollback.committed(nft.commit(batch))
    return true
  } catch (error) {
    // Returns false if another process has just created one of the ruleset's tables. The caller then corrects the
    // differences.
    if (isNftError(error) && error.faults.some(({ kind, code }) => kind === 'table' && code === 'EEXIST')) return false
    throw error
  }
}
