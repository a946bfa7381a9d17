import { groupBy } from './group-by.ts'
import type { CheckResult, Report } from './model.ts'

/** Computes the report's verdict and counts from the results of all checks. */
export function verdictOf(
  results: readonly CheckResult[],
): Pick<Report, 'verdict' | 'unchecked' | 'counts' | 'conforms'> {
  const counts = { pass: 0, fail: 0, note: 0, skipped: 0, blocked: 0, violation: 0, advice: 0 }
  for (const { outcome } of results) {
    counts[outcome.status]++
    if (outcome.status === 'fail') for (const { severity } of outcome.findings) counts[severity]++
  }
  const unchecked = uncheckedIn(results)
  const verdict = counts.violation > 0 ? 'violations' : unchecked.length > 0 ? 'incomplete' : 'conforms'
  return { verdict, unchecked, counts, conforms: verdict === 'conforms' }
}

function uncheckedIn(results: readonly CheckResult[]): Report['unchecked'][number][] {
  const stopped = results.flatMap(({ id, outcome }) => {
    const reason =
      outcome.status === 'blocked' ? outcome.reason : outcome.status === 'fail' ? outcome.blocked : undefined
    return reason === undefined ? [] : [{ id, reason }]
  })
  const unchecked = [...groupBy(stopped, ({ reason }) => reason)].map(([reason, each]) => {
    return { reason, checks: each.map(({ id }) => id) }
  })
  // Makes the verdict `incomplete` instead of `conforms` if no rule applies to the plugin, and all checks were skipped.
  if (results.every(({ outcome }) => outcome.status === 'skipped')) {
    unchecked.push({ reason: 'no check concerns this plugin', checks: results.map(({ id }) => id) })
  }
  return unchecked
}
