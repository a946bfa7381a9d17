import type { OwnedOptions } from '../apply/work.ts'
import type { Ruleset } from '../rules/model.ts'
import type { Nft } from '../wire/nft.ts'
import { driftOf } from './diff.ts'
import { isClean } from './drift.ts'
import { NftDriftError } from './drift-error.ts'

/** Throws `NftDriftError` for what differs. */
export async function verifyRuleset(nft: Nft, rules: Ruleset, options?: OwnedOptions): Promise<void> {
  const drift = await driftOf(nft, rules, options)
  if (!isClean(drift)) throw new NftDriftError(drift)
}
