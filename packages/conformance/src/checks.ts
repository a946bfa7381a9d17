import type { Check } from './check.ts'
import { check } from './checks/check.ts'
import { concurrency } from './checks/concurrency.ts'
import { del } from './checks/del.ts'
import { environment } from './checks/environment.ts'
import { errors } from './checks/errors.ts'
import { isolation } from './checks/isolation.ts'
import { leftovers } from './checks/leftovers.ts'
import { prevResult } from './checks/prev-result.ts'
import { results } from './checks/results.ts'
import { signals } from './checks/signals.ts'
import { silence } from './checks/silence.ts'
import { stdin } from './checks/stdin.ts'
import { versions } from './checks/versions.ts'
import type { CheckResult } from './model.ts'

/** All checks of the conformance suite, in the order in which the suite runs the checks. */
export const allChecks: readonly Check[] = Object.freeze([
  // Runs isolation checks first, because plugin calls of other checks leave files and links.
  ...isolation,
  ...leftovers,
  ...results,
  ...prevResult,
  ...versions,
  ...environment,
  ...stdin,
  ...del,
  ...check,
  ...silence,
  ...signals,
  ...concurrency,
  // The error checks run last, because they evaluate the plugin calls of all other checks.
  ...errors,
])

/**
 * Ids, titles and rules of all checks of the suite, in order.
 *
 * @example
 * checks.map(({ id, title }) => `${id}: ${title}`)
 */
export const checks: ReadonlyArray<Pick<CheckResult, 'id' | 'group' | 'title' | 'spec'>> = allChecks.map(
  ({ id, group, title, spec }) => ({ id, group, title, spec }),
)
