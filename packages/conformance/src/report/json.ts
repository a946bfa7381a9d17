import type { Report } from '../model.ts'

/** The report as JSON, with all executions of findings. */
export function renderJson(report: Report): string {
  return `${JSON.stringify(report, null, 2)}\n`
}
