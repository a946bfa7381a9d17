import { IptablesError, isIptablesError } from '../errors.ts'
import { type Drift, driftText } from './drift.ts'

/** The rules in the kernel are not the rules that were asked for. `drift` is the difference as data. */
export class DriftError extends IptablesError {
  readonly drift: Drift

  constructor(drift: Drift) {
    const details = driftText(drift)
    super('DRIFT', `iptables rules differ from the ruleset: ${summary(drift)}; first: ${details.split('\n', 1)[0]}`)
    this.drift = drift
    Object.defineProperty(this, Symbol.for('cni.error'), { value: { code: 100, details } })
  }
}

Object.defineProperty(DriftError.prototype, 'name', { value: 'DriftError', configurable: true })

/** Whether `error` is the drift that `verify` found. */
export function isDriftError(error: unknown): error is DriftError {
  return isIptablesError(error) && error.code === 'DRIFT'
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
