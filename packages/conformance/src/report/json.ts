import type { Report } from '../model.ts'

/** Formats the report as JSON. Each finding includes its plugin call. */
export function renderJson(report: Report): string {
  return `${JSON.stringify(report, null, 2)}\n`
}
