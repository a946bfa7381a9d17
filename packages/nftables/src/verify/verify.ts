import { cniErrorKey } from '@cni/types'
import type { OwnedOptions } from '../apply/work.ts'
import type { Ruleset } from '../rules/model.ts'
import type { Nft } from '../wire/nft.ts'
import { type Drift, NftError } from '../wire/nft-error.ts'
import { driftOf } from './diff.ts'
import { driftText, isClean, locationText } from './drift.ts'

/** Throws `NftError('DRIFT')` if the kernel's tables differ from the ruleset. */
export async function verifyRuleset(nft: Nft, rules: Ruleset, options?: OwnedOptions): Promise<void> {
  const drift = await driftOf(nft, rules, options)
  if (!isClean(drift)) throw driftError(drift)
}

// internal

function driftError(drift: Drift): NftError {
  // Puts only a summary into the message, because container runtimes also print `details`.
  const message = `nftables rules differ from the ruleset in ${locations(drift)}: ${summary(drift)}`
  const error = Object.assign(new NftError('DRIFT', message), { drift })
  return Object.defineProperty(error, cniErrorKey, { value: { code: 100, details: driftText(drift) } })
}

/** Names of the tables, chains and sets that differ, for an error message. */
function locations({ missing, unexpected, changed }: Drift): string {
  const names = new Set([...missing, ...unexpected, ...changed].map(({ rule: _, ...line }) => locationText(line)))
  const [first = ''] = names
  return names.size > 2 ? `${first} and ${names.size - 1} more places` : [...names].join(' and ')
}

function summary({ missing, unexpected, changed }: Drift): string {
  const counts: [number, string][] = [
    [missing.length, 'missing'],
    [unexpected.length, 'unexpected'],
    [changed.length, 'changed'],
  ]
  return counts
    .filter(([count]) => count > 0)
    .map(([count, word]) => `${count} ${word}`)
    .join(', ')
}
