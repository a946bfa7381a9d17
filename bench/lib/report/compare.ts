import type { Measure, Report } from './report.ts'
import type { Ratio } from './statistics.ts'

/** Noise limit: with 0.1, a change of less than 10 % counts as unchanged. */
export const MARGIN = 0.1

export type Verdict = 'worse' | 'better' | 'same' | 'new' | 'not judged'

export interface Comparison {
  suite: string
  group: string
  name: string
  quantity: string
  verdict: Verdict
  /** Our program's ratio to a reference program in the stored baseline. */
  before?: Ratio
  after?: Ratio
}

/** Compares ratios to a reference program, because times depend on the machine. */
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

/** Judges a change. A difference counts only if the confidence intervals do not overlap. */
export function verdict(before: Ratio, after: Ratio): Verdict {
  if (before.low === undefined || before.high === undefined) return 'not judged'
  if (after.low === undefined || after.high === undefined) return 'not judged'
  if (after.value > before.value * (1 + MARGIN) && after.low > before.high) return 'worse'
  if (after.value < before.value / (1 + MARGIN) && after.high < before.low) return 'better'
  return 'same'
}

/** Combines two comparisons with the baseline. A measured value is "worse" only if both comparisons call it worse. */
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
