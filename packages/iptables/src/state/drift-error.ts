import type { Drift } from '../drift.ts'
import { IptablesError } from '../errors.ts'
import { driftText } from './drift.ts'

/** Error of `verify`: the kernel's rules differ from the ruleset. `drift` contains the differences as data. */
export class DriftError extends IptablesError {
  override readonly drift: Drift

  constructor(drift: Drift) {
    // The message lists no differences, because container runtimes print the error's details too.
    super('DRIFT', `iptables rules differ from the ruleset in ${chains(drift)}: ${summary(drift)}`)
    this.drift = drift
    Object.defineProperty(this, Symbol.for('cni.error'), { value: { code: 100, details: driftText(drift) } })
  }
}

Object.defineProperty(DriftError.prototype, 'name', { value: 'DriftError', configurable: true })

// internal

/** Names of the chains that differ from the ruleset, shortened for more than two. */
function chains({ missing, unexpected, changed }: Drift): string {
  const names = new Set(
    [...missing, ...unexpected, ...changed].map(({ backend, family, table, chain }) =>
      [backend, family, table, chain].filter(Boolean).join(' '),
    ),
  )
  const [first = ''] = names
  return names.size > 2 ? `${first} and ${names.size - 1} more chains` : [...names].join(' and ')
}

function summary({ missing, unexpected, changed }: Drift): string {
  const counts: [number, string][] = [
    [missing.length, 'missing'],
    [unexpected.length, 'unexpected'],
    [changed.length, 'changed'],
  ]
  return counts
    .filter(([n]) => n > 0)
    .map(([n, word]) => `${n} ${word}`)
    .join(', ')
}
