import type { Report } from '../model.ts'
import { renderJson } from './json.ts'
import { renderJunit } from './junit.ts'
import { renderText } from './text.ts'

/** Formats a conformance report as text, JSON or JUnit XML. */
export function renderReport(
  report: Report,
  options: {
    /** Format of the report. Default: `text`. */
    readonly format?: 'text' | 'json' | 'junit'
    /** True to print the text report in colour (ANSI). Default: false. */
    readonly colour?: boolean
  } = {},
): string {
  const { format = 'text', colour = false } = options
  if (format === 'json') return renderJson(report)
  return format === 'junit' ? renderJunit(report) : renderText(report, { colour })
}
