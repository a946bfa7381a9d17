import type { Report } from '../model.ts'

/** The whole report, with every exchange of a finding. */
export function renderJson(report: Report): string {
  return `${JSON.stringify(report, null, 2)}\n`
}
