import type { Measure, Report } from './report.ts'
import type { Ratio } from './statistics.ts'

/** A change of a ratio by less than this is never told from noise. */
export const MARGIN = 0.1

export type Verdict = 'worse' | 'better' | 'same' | 'new' | 'not judged'

export interface Comparison {
  suite: string
  group: string
  name: string
  quantity: string
  verdict: Verdict
  /** The same ratio of both reports; absent where there is none. */
  before?: Ratio
  after?: Ratio
}

/**
 * Each of our measures against the one of the baseline, by a ratio that travels between machines: to the first reference
 * that both reports have. Suites that did not run are left out.
 */
export function compare(baseline: Report, report: Report): Comparison[] {
  return Object.entries(report.suites).flatMap(([suite, { measures }]) => {
    const known = new Map(baseline.suites[suite]?.measures.map((one) => [key(one), one]))
    return measures
      .filter(({ ratios }) => ratios.length > 0)
      .map((after) => {
        const { group, name, quantity } = after
        return { suite, group, name, quantity, ...judge(known.get(key(after)), after) }
      })
  })
}

/** Worse or better only when the ratio moved by more than the margin and neither report's spread reaches the other's. */
export function verdict(before: Ratio, after: Ratio): Verdict {
  if (before.low === undefined || before.high === undefined) return 'not judged'
  if (after.low === undefined || after.high === undefined) return 'not judged'
  if (after.value > before.value * (1 + MARGIN) && after.low > before.high) return 'worse'
  if (after.value < before.value / (1 + MARGIN) && after.high < before.low) return 'better'
  return 'same'
}

/** What was worse is so only if it is worse when measured once more. */
export function confirm(first: readonly Comparison[], again: readonly Comparison[]): Comparison[] {
  const second = new Map(again.map((one) => [key(one), one]))
  return first.map((one) => (one.verdict === 'worse' ? (second.get(key(one)) ?? one) : one))
}

function judge(before: Measure | undefined, after: Measure): Pick<Comparison, 'verdict' | 'before' | 'after'> {
  if (before === undefined) return { verdict: 'new' }
  for (const one of before.ratios) {
    const same = after.ratios.find(({ to }) => to === one.to)
    if (same !== undefined) return { verdict: verdict(one, same), before: one, after: same }
  }
  return { verdict: 'not judged' }
}

function key(one: { suite?: string; group: string; name: string; quantity: string }): string {
  return JSON.stringify([one.suite, one.group, one.name, one.quantity])
}
