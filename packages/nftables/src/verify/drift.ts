import type { Family } from '../wire/family.ts'

/** Something that differs: a table, or what is in it. */
export interface DriftLine {
  readonly family: Family
  readonly table: string
  /** Of a chain and its rules. */
  readonly chain?: string
  readonly set?: string
  /** A rule, in words. */
  readonly rule?: string
}

/** The difference between a ruleset and the kernel: in its tables everything counts, content and order. */
export interface Drift {
  /** Wanted, not there. */
  readonly missing: readonly DriftLine[]
  /** There, not wanted. */
  readonly unexpected: readonly DriftLine[]
  /** There, but not as it is wanted. */
  readonly changed: readonly (DriftLine & {
    /** `order`: its rules are all there, in another order. */
    readonly reason: 'base' | 'policy' | 'comment' | 'order' | 'set' | 'elements' | 'dormant' | 'foreign'
    readonly expected: string
    readonly actual: string
  })[]
}

/** Whether there is no difference at all. */
export const isClean = ({ missing, unexpected, changed }: Drift): boolean =>
  missing.length === 0 && unexpected.length === 0 && changed.length === 0

/** The difference in words, a line for each; `''` when there is none. */
export function driftText({ missing, unexpected, changed }: Drift): string {
  return [
    ...missing.map((line) => `missing ${placeText(line)}`),
    ...unexpected.map((line) => `unexpected ${placeText(line)}`),
    ...changed.map((line) => `${placeText(line)}: ${line.actual}, expected ${line.expected}`),
  ].join('\n')
}

/** What a line is about. */
export function placeText({ family, table, chain, set, rule }: DriftLine): string {
  const where = `table ${family} ${table}`
  if (chain === undefined) return set === undefined ? where : `set ${set} in ${where}`
  return rule === undefined ? `chain ${chain} in ${where}` : `rule in ${where}, chain ${chain}: ${rule}`
}

export type DriftChanged = Drift['changed'][number]
