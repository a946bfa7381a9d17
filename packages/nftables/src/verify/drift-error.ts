import { isNftError, NftError } from '../wire/nft-error.ts'
import { type Drift, driftText, placeText } from './drift.ts'

/** What is in the kernel is not the ruleset that was asked for. `drift` is the difference as data. */
export class NftDriftError extends NftError {
  readonly drift: Drift

  constructor(drift: Drift) {
    // Not a difference itself: runtimes print the details, which have them all, right behind the message.
    super('DRIFT', `nftables rules differ from the ruleset in ${places(drift)}: ${summary(drift)}`)
    this.drift = drift
    Object.defineProperty(this, Symbol.for('cni.error'), { value: { code: 100, details: driftText(drift) } })
  }
}

Object.defineProperty(NftDriftError.prototype, 'name', { value: 'NftDriftError', configurable: true })

/** Whether `error` is the drift that `verify` found. */
export function isNftDriftError(error: unknown): error is NftDriftError {
  return isNftError(error) && error.code === 'DRIFT'
}

/** Where it differs: one place or two, else the first and how many more. */
function places({ missing, unexpected, changed }: Drift): string {
  const names = new Set([...missing, ...unexpected, ...changed].map(({ rule: _, ...line }) => placeText(line)))
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
