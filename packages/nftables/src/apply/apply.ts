import { addRuleset, nameOf } from '../encode/encode-table.ts'
import type { Ruleset } from '../rules/model.ts'
import type { Nft } from '../wire/nft.ts'
import type { TableName } from '../wire/specs.ts'
import { absentTables } from './absent.ts'
import { present } from './present.ts'
import type { ApplyReport } from './report.ts'
import { changeOf, type OwnedOptions, type WayBack, type Work, wayBack, withNft } from './work.ts'

/** Brings a ruleset into the kernel. */
export async function applyRuleset(work: Work, rules: Ruleset, options: OwnedOptions = {}): Promise<ApplyReport> {
  const began = performance.now()
  const gone = absentTables(rules, options)
  const owned = [...rules.tables.map(nameOf), ...gone]
  const back = wayBack(work, owned)
  return withNft(work, async (nft) => {
    if (rules.tables.length > 0 && writeFresh(nft, { rules, owned }, back)) {
      return { plan: 'fresh', ...changeOf(nft, began, back) }
    }
    const { replaceRuleset } = await import('./replace.ts')
    const plan = replaceRuleset(nft, { rules, gone }, back)
    return { plan, ...changeOf(nft, began, back) }
  })
}

interface Fresh {
  readonly rules: Ruleset
  readonly owned: readonly TableName[]
}

/** Writes everything, if nothing is there. */
function writeFresh(nft: Nft, { rules, owned }: Fresh, back: WayBack): boolean {
  back.written = nft.transact((batch) => {
    if (present(nft, owned).length > 0) return false
    addRuleset(batch, rules)
    back.register()
    return true
  })
  return back.written
}
