import type { Report } from '../model.ts'
import { renderJson } from './json.ts'
import { renderJunit } from './junit.ts'
import { renderText } from './text.ts'

/**
 * The report as `text` for a person, as `json` with every exchange of a finding, or as `junit` XML with a suite per group.
 *
 * @example
 * ```ts
 * process.stdout.write(renderReport(report, { colour: true }))
 * ```
 */
export function renderReport(
  report: Report,
  options: {
    /** Default: `text`. */
    readonly format?: 'text' | 'json' | 'junit'
    /** ANSI colours in the text. Default: false. */
    readonly colour?: boolean
  } = {},
): string {
  const { format = 'text', colour = false } = options
  if (format === 'json') return renderJson(report)
  return format === 'junit' ? renderJunit(report) : renderText(report, { colour })
}
