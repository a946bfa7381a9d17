import { ConformanceError } from './errors.ts'
import type { CheckResult, Report } from './model.ts'
import type { ConformanceOptions } from './options/options.ts'
import { selectChecks } from './options/select.ts'
import { settingsOf } from './options/settings.ts'
import { openSession } from './session.ts'
import { verdictOf } from './verdict.ts'
import { world } from './world/world.ts'

/**
 * Tests a plugin in a network namespace that simulates a node. Needs root. Throws a {@link ConformanceError} if the
 * checks cannot run.
 *
 * @example const report = await conformance({ plugin: '/opt/cni/bin/my-plugin', chained: true })
 */
export async function conformance(options: ConformanceOptions): Promise<Report> {
  const { onCheck } = options
  const { selected, leftOut } = selectChecks(options)
  const settings = settingsOf(options)
  if (process.getuid?.() !== 0) {
    throw new ConformanceError('NOT_ROOT', 'Needs root: it makes network namespaces for the plugin to work in')
  }
  const begun = performance.now()
  await using place = await world(settings)
  try {
    const session = await openSession(settings, place)
    const results: CheckResult[] = []
    for (const [index, check] of selected.entries()) {
      onCheck?.(check, index, selected.length)
      results.push(await session.run(check))
    }
    // Returns `verdict` and `unchecked` as the first members, because the JSON report prints the members in this order.
    const { verdict, unchecked, counts, conforms } = verdictOf(results)
    return {
      verdict,
      unchecked,
      plugin: settings.plugin,
      chained: settings.chained,
      supportedVersions: session.supportedVersions,
      version: session.version,
      results,
      counts,
      conforms,
      leftOut,
      executions: session.exchanges.length,
      durationMs: Math.round(performance.now() - begun),
    }
  } catch (error) {
    if (!options.signal?.aborted) throw error
    throw new ConformanceError('ABORTED', 'Stopped before all checks were done', { cause: error })
  }
}
