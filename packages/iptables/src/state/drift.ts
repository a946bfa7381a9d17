import type { Drift, DriftLine } from '../drift.ts'

/** True if a drift contains no differences: the kernel's rules equal the ruleset. */
export const isClean = (drift: Drift): boolean =>
  drift.missing.length === 0 && drift.unexpected.length === 0 && drift.changed.length === 0

/** Combines the drifts of several IP families into one. */
export function mergeDrift(drifts: readonly Drift[]): Drift {
  return {
    missing: drifts.flatMap((drift) => drift.missing),
    unexpected: drifts.flatMap((drift) => drift.unexpected),
    changed: drifts.flatMap((drift) => drift.changed),
  }
}

/**
 * Formats a drift as text, one line per difference. Includes policies that differ between two snapshots. `''` without
 * differences.
 */
export function driftText({ missing, unexpected, changed, policies = [] }: Drift): string {
  const lines = [
    ...missing.map((line) => `missing ${locationText(line)}`),
    ...unexpected.map((line) => `unexpected ${locationText(line)}`),
    ...changed.map((line) =>
      line.reason === 'order'
        ? `out of order ${locationText(line)}`
        : `changed ${locationText({ ...line, rule: line.actual })} (expected: ${line.expected})`,
    ),
    ...policies.map(
      ({ family, table, chain, expected, actual }) =>
        `changed ${family} ${table}: -P ${chain} ${actual} (expected: ${expected})`,
    ),
  ]
  // Escapes line breaks: the comment of another program's rule may contain a line break.
  return lines.map((line) => line.replaceAll('\n', '\\n')).join('\n')
}

// internal

const locationText = ({ family, table, chain, rule, backend }: DriftLine) =>
  `${backend === undefined ? '' : `${backend} `}${family} ${table}: ${rule === undefined ? `chain ${chain}` : `-A ${chain} ${rule}`.trimEnd()}`
