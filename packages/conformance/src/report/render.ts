import type { Report } from '../model.ts'
import { renderJson } from './json.ts'
import { renderJunit } from './junit.ts'
import { renderText } from './text.ts'

/**
 * Formats a report: `text` for people, `json` with all executions of findings, `junit` XML with a suite for each group.
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
