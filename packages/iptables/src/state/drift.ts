import type { Family, Table } from '../rules/model.ts'

/** One rule or chain that differs. `rule` is its text without the leading `-A CHAIN`; a chain has none. */
export interface DriftLine {
  readonly family: Family
  readonly table: Table
  readonly chain: string
  readonly rule?: string
  /** Set when it stands in the back end that is not in use. */
  readonly backend?: 'legacy' | 'nft'
}

/**
 * The difference between a ruleset and the kernel. In own chains everything counts: content and order. In built-in
 * chains own rules must be there in their relative order and nothing stale may jump to an own chain; the rules of
 * others are not looked at.
 */
export interface Drift {
  /** Wanted, not there. */
  readonly missing: readonly DriftLine[]
  /** There, in an own chain or jumping to one, not wanted. */
  readonly unexpected: readonly DriftLine[]
  /** There, but another rule or in another place. */
  readonly changed: readonly (DriftLine &
    (
      | {
          /** The rules are all there, but in another order. `rule` is the first one found out of place. */
          readonly reason: 'order'
        }
      | {
          /** A rule stands where another one was expected. */
          readonly reason: 'replaced'
          readonly expected: string
          readonly actual: string
        }
    ))[]
}

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
export function driftText({
  missing,
  unexpected,
  changed,
  policies = [],
}: Drift & {
  readonly policies?: readonly (Omit<DriftLine, 'rule' | 'backend'> & {
    readonly expected: string
    readonly actual: string
  })[]
}): string {
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
