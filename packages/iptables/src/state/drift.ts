import type { Drift, DriftLine } from '../drift.ts'

/** Whether there is no difference at all. */
export const isClean = (drift: Drift): boolean =>
  drift.missing.length === 0 && drift.unexpected.length === 0 && drift.changed.length === 0

/** The drift of several families as one. */
export function mergeDrift(drifts: readonly Drift[]): Drift {
  return {
    missing: drifts.flatMap((drift) => drift.missing),
    unexpected: drifts.flatMap((drift) => drift.unexpected),
    changed: drifts.flatMap((drift) => drift.changed),
  }
}

/** The drift in words, one line per difference, policies between two snapshots too; `''` when there is none. */
export function driftText({ missing, unexpected, changed, policies = [] }: Drift): string {
  const lines = [
    ...missing.map((line) => `missing ${place(line)}`),
    ...unexpected.map((line) => `unexpected ${place(line)}`),
    ...changed.map((line) =>
      line.reason === 'order'
        ? `out of order ${place(line)}`
        : `changed ${place({ ...line, rule: line.actual })} (expected: ${line.expected})`,
    ),
    ...policies.map(
      ({ family, table, chain, expected, actual }) =>
        `changed ${family} ${table}: -P ${chain} ${actual} (expected: ${expected})`,
    ),
  ]
  // A comment of others may hold a line break.
  return lines.map((line) => line.replaceAll('\n', '\\n')).join('\n')
}

// internal

const place = ({ family, table, chain, rule, backend }: DriftLine) =>
  `${backend === undefined ? '' : `${backend} `}${family} ${table}: ${rule === undefined ? `chain ${chain}` : `-A ${chain} ${rule}`.trimEnd()}`
