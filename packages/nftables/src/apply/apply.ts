import { addRuleset, nameOf } from '../encode/encode-table.ts'
import type { Ruleset } from '../rules/model.ts'
import type { Nft } from '../wire/nft.ts'
import { present } from './present.ts'
import type { ApplyReport } from './report.ts'
import { changeOf, type WayBack, type Work, wayBack, withNft } from './work.ts'

/** Brings a ruleset into the kernel. */
export async function applyRuleset(work: Work, rules: Ruleset): Promise<ApplyReport> {
  const began = performance.now()
  const back = wayBack(work, rules.tables.map(nameOf))
  return withNft(work, async (nft) => {
    if (writeFresh(nft, rules, back)) return { plan: 'fresh', ...changeOf(nft, began, back) }
    const { replaceRuleset } = await import('./replace.ts')
    const plan = replaceRuleset(nft, rules, back)
    return { plan, ...changeOf(nft, began, back) }
  })
}

/** Writes everything, if nothing is there. */
function writeFresh(nft: Nft, rules: Ruleset, back: WayBack): boolean {
  if (rules.tables.length === 0) return false
  back.written = nft.transact((batch) => {
    if (present(nft, rules.tables.map(nameOf)).length > 0) return false
    addRuleset(batch, rules)
    back.register()
    return true
  })
  return back.written
}
