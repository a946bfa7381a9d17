import type { Report } from '../model.ts'
import { renderJson } from './json.ts'
import { renderJunit } from './junit.ts'
import { renderText } from './text.ts'

/**
 * Formats a report of the conformance suite. `text` is for users, `json` includes the plugin call of each finding.
 * `junit` is XML with a test suite for each group of checks.
 *
 * @example
 * ```ts
 * process.stdout.write(renderReport(report, { colour: true }))
 * ```
 */
export function renderReport(
  report: Report,
  options: {
    /** Format of the report. Default: `text`. */
    readonly format?: 'text' | 'json' | 'junit'
    /** True for ANSI colours in the text. Default: false. */
    readonly colour?: boolean
  } = {},
): string {
  const { format = 'text', colour = false } = options
  if (format === 'json') return renderJson(report)
  return format === 'junit' ? renderJunit(report) : renderText(report, { colour })
}
